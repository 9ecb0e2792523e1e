import { FieldCollector } from "../../../core/field-collector.ts";
import { countMatches, type CountRequest } from "../../../operations/messages/count-matches.ts";
import { jsonResponse } from "../../http-response.ts";
import { pageParameters, queryParameters, requestedList, requestedQuery } from "../../lists/page-request.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { criteriaSchema } from "../../wire/search-schema.ts";
import type { WireCount } from "../../wire/web-schema.ts";

const listParameters: readonly string[] = ["server", "receivedAfter", "dir"];

/** `POST /web/count`: number of messages that a list with these parameters, or a search with this body, has on all pages. */
export const countRoute: KeyRoute = {
  method: "POST",
  path: "/web/count",
  operationId: null,
  summary: "Count the messages of a list or a search, at most 10,000.",
  access: "key",
  permission: "read",
  query: [...pageParameters.filter(({ name }) => listParameters.includes(name)), ...queryParameters],
  body: { schema: criteriaSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The number." }],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const counted: WireCount = await countMatches(call.context, call.principal, decodeCount(call));
    return jsonResponse(counted);
  },
};

/** Decodes parameters and body; throws a 400 that names every wrong field of both. */
function decodeCount(call: KeyCall): CountRequest {
  const errors = new FieldCollector();
  const list = errors.collect(() => requestedList(call));
  const criteria = errors.collect(() => decodeBody(criteriaSchema, call.body));
  const query = errors.collect(() => requestedQuery(call, undefined));
  errors.finish();
  if (list === undefined || criteria === undefined || query === undefined) {
    throw new Error("a field failed without a field error");
  }
  return { ...list, criteria: { match: "ALL", ...criteria }, query, signal: call.signal() };
}
