import { getDeliverability } from "../../../operations/checks/get-deliverability.ts";
import { jsonResponse } from "../../http-response.ts";
import { withSignal, type KeyRoute } from "../../route.ts";
import { toWireDeliverability } from "../../wire/analysis-json.ts";
import { deliverabilitySchema } from "../../wire/analysis-schema.ts";

/** `GET /api/analysis/deliverability/:id`: authentication, sender and content of a mail, checked as receivers do. */
export const getDeliverabilityRoute: KeyRoute = {
  method: "GET",
  path: "/api/analysis/deliverability/:id",
  operationId: "getDeliverability",
  summary: "Check the authentication, the sender and the content of a mail as receivers do.",
  access: "key",
  successes: [{ status: 200, description: "The report.", schema: deliverabilitySchema }],
  problems: ["not_found"],
  respond: async (call) => {
    const report = await getDeliverability(withSignal(call), call.principal, call.id);
    return jsonResponse(toWireDeliverability(report));
  },
};
