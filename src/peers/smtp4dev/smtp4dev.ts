/** API of smtp4dev, version 3. */
import { jsonResponse } from "../../http/http-response.ts";
import type { Peer, PeerRoute } from "../peer.ts";
import { changeRoutes } from "./change-messages.ts";
import { listRoutes } from "./list-messages.ts";
import { mailboxName, mailboxRoutes } from "./mailboxes.ts";
import { negotiateRoute, notifications } from "./notifications.ts";
import { messageRoutes } from "./read-message.ts";
import { partRoutes } from "./read-part.ts";
import { respondUnmatched, toErrorBody } from "./responses.ts";

/** The server and its version; its settings are those of the service. */
const serverRoutes: readonly PeerRoute[] = [
  {
    method: "GET",
    path: "/api/server",
    permission: "read",
    respond: ({ context }) =>
      jsonResponse({
        isRunning: true,
        exception: null,
        settingsAreEditable: false,
        lockedSettings: {},
        hostName: context.settings.mailDomain,
        mailboxes: [],
        users: [],
        currentUserName: null,
        currentUserDefaultMailboxName: mailboxName,
      }),
  },
  {
    method: "GET",
    path: "/api/version",
    permission: "read",
    respond: ({ version }) => jsonResponse({ version, infoVersion: `restante ${version}` }),
  },
];

/** smtp4dev (https://github.com/rnwood/smtp4dev). */
export const smtp4dev: Peer = {
  name: "smtp4dev",
  ignoresCase: true,
  routes: [
    ...listRoutes,
    ...mailboxRoutes,
    ...messageRoutes,
    ...partRoutes,
    ...changeRoutes,
    ...serverRoutes,
    negotiateRoute,
  ],
  socket: notifications,
  respondUnmatched,
  toErrorBody,
};
