/** API versions 1 and 2 of MailHog (https://github.com/mailhog/MailHog). */
import { catcherRoutes, type Catcher, type CatcherRoute } from "../catcher.ts";
import { emptyResponse, plainResponse } from "../responses.ts";
import { eventRoutes, streamArrivals } from "./events.ts";
import { jimRoutes } from "./jim.ts";
import { json } from "./mail.ts";
import { messageRoutes } from "./messages.ts";

const notFound = plainResponse(404, "404 page not found\n");

/** SMTP servers that were saved for releases: none, since the relay is a setting of the service. */
const relayRoutes: readonly CatcherRoute[] = catcherRoutes("read", { "GET /api/v2/outgoing-smtp": () => json({}) });

/** MailHog. */
export const mailhog: Catcher = {
  name: "mailhog",
  routes: [...messageRoutes, ...jimRoutes, ...relayRoutes, ...eventRoutes],
  socket: { path: "/api/v2/websocket", permission: "read", open: streamArrivals },
  respondUnmatched: ({ method, path, allowed }) => {
    if (method === "OPTIONS" && path.startsWith("/api/")) return emptyResponse(200);
    return allowed.length > 0 ? emptyResponse(405) : notFound;
  },
  toErrorBody: ({ code, row }, detail) => (code === "not_found" ? notFound : plainResponse(row.status, `${detail}\n`)),
};
