import { listMessages } from "../../../operations/messages/list-messages.ts";
import { pageResponse, pageSuccess } from "../../lists/page-response.ts";
import {
  labelParameters,
  pageParameters,
  queryParameters,
  requestedLabels,
  requestedList,
  requestedQuery,
} from "../../lists/page-request.ts";
import type { KeyRoute } from "../../route.ts";

/** `GET /api/messages`: a page of a server's summaries, newest first. */
export const listMessagesRoute: KeyRoute = {
  method: "GET",
  path: "/api/messages",
  operationId: "listMessages",
  summary: "List the messages of a server, newest first, or those that match a query.",
  access: "key",
  query: [...pageParameters, ...labelParameters, ...queryParameters],
  successes: [pageSuccess],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const query = requestedQuery(call, undefined);
    const request = { ...requestedList(call), criteria: requestedLabels(call.query), query, signal: call.signal };
    return pageResponse(call, request.page, await listMessages(call.context, call.principal, request));
  },
};
