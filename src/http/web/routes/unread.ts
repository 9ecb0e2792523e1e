import { countUnread } from "../../../operations/marks/marks.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import type { WireUnread } from "../../wire/web-schema.ts";

/** `GET /web/servers/:id/unread`: number of received messages of the server without the flag `seen`. */
export const unreadRoute: KeyRoute = {
  method: "GET",
  path: "/web/servers/:id/unread",
  operationId: null,
  summary: "Count the unread messages of a server.",
  access: "key",
  successes: [{ status: 200, description: "The number." }],
  problems: ["not_found"],
  respond: async (call) => {
    const unread: WireUnread = { unread: await countUnread(call.context, call.principal, call.id) };
    return jsonResponse(unread);
  },
};
