/** API versions 1 and 2 of MailHog. */
import type { Peer, PeerRoute } from "../peer.ts";
import { deletionRoutes } from "./delete-messages.ts";
import { eventsRoute, streamArrivals } from "./events.ts";
import { jimRoutes } from "./jim.ts";
import { listRoutes } from "./list-messages.ts";
import { messageRoutes } from "./read-message.ts";
import { json, respondUnmatched, toErrorBody } from "./responses.ts";

/** SMTP servers that were saved for releases: none, since the relay is a setting of the service. */
const relaysRoute: PeerRoute = {
  method: "GET",
  path: "/api/v2/outgoing-smtp",
  permission: "read",
  respond: () => json({}),
};

/** MailHog (https://github.com/mailhog/MailHog). */
export const mailhog: Peer = {
  name: "mailhog",
  routes: [...listRoutes, ...messageRoutes, ...deletionRoutes, ...jimRoutes, relaysRoute, eventsRoute],
  socket: { path: "/api/v2/websocket", permission: "read", open: streamArrivals },
  respondUnmatched,
  toErrorBody,
};
