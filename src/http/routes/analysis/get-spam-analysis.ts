import { getSpamAnalysis } from "../../../operations/get-spam-analysis.ts";
import { jsonResponse } from "../../http-response.ts";
import { withSignal, type KeyRoute } from "../../route.ts";
import { toWireSpamAnalysis } from "../../wire/analysis-json.ts";
import { spamAnalysisSchema } from "../../wire/analysis-schema.ts";

/** `GET /api/analysis/spam/:id`: whether a mail looks like spam, and to whom. */
export const getSpamAnalysisRoute: KeyRoute = {
  method: "GET",
  path: "/api/analysis/spam/:id",
  operationId: "getSpamAnalysis",
  summary: "Find out whether a mail looks like spam.",
  access: "key",
  successes: [{ status: 200, description: "The verdict and the rules behind it.", schema: spamAnalysisSchema }],
  problems: ["not_found"],
  respond: async (call) =>
    jsonResponse(toWireSpamAnalysis(await getSpamAnalysis(withSignal(call), call.principal, call.id))),
};
