import { getSpamAnalysis } from "../../../operations/checks/get-spam-analysis.ts";
import { jsonResponse } from "../../http-response.ts";
import { withSignal, type KeyRoute } from "../../route.ts";
import { toWireSpamAnalysis } from "../../wire/analysis-json.ts";
import { spamAnalysisSchema } from "../../wire/analysis-schema.ts";

/** `GET /api/analysis/spam/:id`: spam score of a mail, with the rules that matched. */
export const getSpamAnalysisRoute: KeyRoute = {
  method: "GET",
  path: "/api/analysis/spam/:id",
  operationId: "getSpamAnalysis",
  summary: "Analyse a mail with a spam filter.",
  access: "key",
  successes: [{ status: 200, description: "The score and the rules that matched.", schema: spamAnalysisSchema }],
  problems: ["not_found"],
  respond: async (call) =>
    jsonResponse(toWireSpamAnalysis(await getSpamAnalysis(withSignal(call), call.principal, call.id))),
};
