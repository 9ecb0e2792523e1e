import { getTimings } from "../../../operations/get-timings.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";

/** `GET /web/servers/:id/timings`: how long the server's newest mails took to those who want them. */
export const timingsRoute: KeyRoute = {
  method: "GET",
  path: "/web/servers/:id/timings",
  operationId: null,
  summary: "Tell how long mail took.",
  access: "key",
  successes: [{ status: 200, description: "The times, oldest mail first." }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(await getTimings(call.context, call.principal, call.id)),
};
