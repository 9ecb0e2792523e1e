/** API of smtp4dev (https://github.com/rnwood/smtp4dev), version 3. */
import { jsonResponse } from "../../http/http-response.ts";
import { catcherRoutes, type Catcher, type CatcherRoute } from "../catcher.ts";
import { plainResponse } from "../responses.ts";
import { changeRoutes } from "./change-messages.ts";
import { listRoutes, mailboxName } from "./list-messages.ts";
import { negotiationRoutes, notifications } from "./notifications.ts";
import { messageRoutes, partRoutes } from "./read-message.ts";

/** The server and its version; its settings are those of the service. */
const serverRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /api/server": ({ context }) =>
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
  "GET /api/version": ({ version }) => jsonResponse({ version, infoVersion: `restante ${version}` }),
});

/** smtp4dev. */
export const smtp4dev: Catcher = {
  name: "smtp4dev",
  ignoresCase: true,
  routes: [...listRoutes, ...messageRoutes, ...partRoutes, ...changeRoutes, ...serverRoutes, ...negotiationRoutes],
  socket: notifications,
  respondUnmatched: ({ method, path, allowed }) => {
    const text = `restante does not have ${method.slice(0, 20)} ${path.slice(0, 200)} of smtp4dev`;
    return plainResponse(allowed.length === 0 ? 404 : 405, text);
  },
  // A text for unknown messages, else problem details (RFC 9457).
  toErrorBody: ({ code, row: { status } }, detail) =>
    code === "not_found"
      ? plainResponse(status, detail)
      : {
          ...jsonResponse({ title: code, status, detail }),
          headers: { "content-type": "application/problem+json; charset=utf-8" },
        },
};
