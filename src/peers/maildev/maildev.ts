/** API of MailDev: versions 1 and 2 without a prefix, version 3 below `/api`. */
import { jsonResponse } from "../../http/http-response.ts";
import type { OpenPeerRoute, Peer, PeerRoute } from "../peer.ts";
import { changeRoutes, deleteSomeRoute } from "./change-emails.ts";
import type { Version } from "./email.ts";
import { listRoute, summaryRoute } from "./list-emails.ts";
import { emailRoutes } from "./read-email.ts";
import { relayRoutes } from "./relay-email.ts";
import { done, respondUnmatched, toErrorBody } from "./responses.ts";

/** MailDev (https://github.com/maildev/maildev). */
export const maildev: Peer = {
  name: "maildev",
  routes: [...routesOf("", 2), ...routesOf("/api", 3), summaryRoute("/api/email/summary"), deleteSomeRoute],
  respondUnmatched,
  toErrorBody,
};

function routesOf(prefix: string, version: Version): readonly (PeerRoute | OpenPeerRoute)[] {
  return [
    listRoute(`${prefix}/email`, version),
    ...emailRoutes(prefix, version),
    ...changeRoutes(prefix),
    ...relayRoutes(prefix),
    {
      method: "GET",
      path: `${prefix}/config`,
      permission: "read",
      respond: ({ context, version: own }) =>
        jsonResponse({
          version: `restante ${own}`,
          smtpPort: null,
          isOutgoingEnabled: context.settings.hasRelay,
          outgoingHost: null,
        }),
    },
    { method: "GET", path: `${prefix}/healthz`, permission: "none", respond: () => done },
    // All mail is in the store, so that there is no directory to read.
    { method: "GET", path: `${prefix}/reloadMailsFromDirectory`, permission: "read", respond: () => done },
  ];
}
