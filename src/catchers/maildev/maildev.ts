/** API of MailDev (https://github.com/maildev/maildev): versions 1 and 2 without a prefix, version 3 below `/api`. */
import { jsonResponse } from "../../http/http-response.ts";
import { catcherRoutes, type OpenCatcherRoute, type Catcher, type CatcherRoute } from "../catcher.ts";
import { plainResponse } from "../responses.ts";
import { changeRoutes, deletionRoutes, listRoutes, summaryRoutes, done, emailRoutes, failure } from "./emails.ts";
import type { Version } from "./email.ts";

/** MailDev. */
export const maildev: Catcher = {
  name: "maildev",
  routes: [...routesOf("", 2), ...routesOf("/api", 3), ...summaryRoutes, ...deletionRoutes],
  respondUnmatched: ({ method, path }) => plainResponse(404, `Cannot ${method} ${path.slice(0, 200)}\n`),
  toErrorBody: ({ code, message, row }, detail) => {
    const isMessage = code === "not_found" && message !== "Server not found";
    return failure(row.status, isMessage ? "Email was not found" : detail);
  },
};

function routesOf(prefix: string, version: Version): readonly (CatcherRoute | OpenCatcherRoute)[] {
  return [
    ...listRoutes(prefix, version),
    ...emailRoutes(prefix, version),
    ...changeRoutes(prefix),
    ...catcherRoutes("read", {
      [`GET ${prefix}/config`]: ({ context, version: own }) =>
        jsonResponse({
          version: `restante ${own}`,
          smtpPort: null,
          isOutgoingEnabled: context.settings.hasRelay,
          outgoingHost: null,
        }),
      // All mail is in the store, so that there is no directory to read.
      [`GET ${prefix}/reloadMailsFromDirectory`]: () => done,
    }),
    { method: "GET", path: `${prefix}/healthz`, permission: "none", respond: () => done },
  ];
}
