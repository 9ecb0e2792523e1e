import { getOptionalSettings } from "../../../operations/servers/get-optional-settings.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";

/**
 * `GET /web/servers/:id/optional-settings`: link scanner and DNS zone of a server, null without them; browsers log the 404 of
 * the documented routes as an error.
 */
export const optionalSettingsRoute: KeyRoute = {
  method: "GET",
  path: "/web/servers/:id/optional-settings",
  operationId: null,
  summary: "Fetch the link scanner and the DNS zone of a server.",
  access: "key",
  successes: [{ status: 200, description: "The settings; null for those that the server does not have." }],
  problems: ["not_found"],
  respond: async (call) => jsonResponse(await getOptionalSettings(call.context, call.principal, call.id)),
};
