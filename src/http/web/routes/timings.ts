import { getTimings } from "../../../operations/messages/get-timings.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";

/** `GET /web/servers/:id/timings`: latencies of the server's newest mails, from arrival to their first reader. */
export const timingsRoute: KeyRoute = {
  method: "GET",
  path: "/web/servers/:id/timings",
  operationId: null,
  summary: "Fetch the latencies of the newest mails.",
  access: "key",
  successes: [{ status: 200, description: "The times, oldest mail first." }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(await getTimings(call.context, call.principal, call.id)),
};
