import { deleteMatching } from "../../../operations/messages/delete-matching.ts";
import { auditedAct, deletedCount } from "../../audit.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import { pageParameters, queryParameters, requestedList, requestedQuery } from "../../lists/page-request.ts";
import { requireServer } from "../../wire/page-query.ts";
import { deletionResultSchema } from "../../wire/saved-search-schema.ts";

/** `DELETE /api/messages/search`: deletes the messages that match a query. */
export const deleteMatchingRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/messages/search",
  operationId: "deleteMatchingMessages",
  summary: "Delete the messages of a server that match a query, newest first, at most 10,000 at a time.",
  access: "key",
  audit: (call, response) =>
    auditedAct("message.delete_matching", {
      server: requireServer(call.query),
      details: { deleted: deletedCount(response) },
    }),
  query: [
    ...pageParameters.filter(({ name }) => name === "server" || name === "dir"),
    ...queryParameters.map((parameter) => ({ ...parameter, isRequired: parameter.name === "q" })),
  ],
  successes: [{ status: 200, description: "The number of deleted messages.", schema: deletionResultSchema }],
  problems: ["invalid_request", "not_found", "storage_full"],
  respond: async (call) => {
    const { server, page } = requestedList(call);
    const query = requestedQuery(call, undefined);
    const request = { server, query, direction: page.direction, signal: call.signal() };
    return jsonResponse(await deleteMatching(call.context, call.principal, request));
  },
};
