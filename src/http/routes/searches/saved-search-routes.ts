import { deleteSavedSearch, listSavedSearches, putSavedSearch } from "../../../operations/searches/saved-searches.ts";
import { auditedAct } from "../../audit.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { savedSearchRequestSchema, savedSearchSchema } from "../../wire/search-schema.ts";
import { listOf } from "../../wire/schema.ts";

const path = "/api/servers/:id/searches";
const onePath = `${path}/:name`;

function pathOf({ id, params }: KeyCall): { readonly server: string; readonly name: string } {
  return { server: id, name: params["name"] ?? "" };
}

/** Routes of the saved searches of servers. */
export const savedSearchRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path,
    operationId: "listSavedSearches",
    summary: "List the saved searches of a server, oldest first.",
    access: "key",
    successes: [{ status: 200, description: "The searches.", schema: listOf(savedSearchSchema) }],
    problems: ["not_found"],
    respond: async (call) => listResponse(call, await listSavedSearches(call.context, call.principal, call.id)),
  },
  {
    method: "PUT",
    path: onePath,
    operationId: "putSavedSearch",
    audit: (call) => auditedAct("saved_search.put", { server: call.id }),
    summary: "Save a search under a name, or replace the one with this name.",
    access: "key",
    body: { schema: savedSearchRequestSchema, required: ["q"], bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The search.", schema: savedSearchSchema }],
    problems: ["invalid_request", "not_found", "limit_reached", "storage_full"],
    respond: async (call) => {
      const { q = "" } = decodeBody(savedSearchRequestSchema, call.body);
      return jsonResponse(await putSavedSearch(call.context, call.principal, { ...pathOf(call), q }));
    },
  },
  {
    method: "DELETE",
    path: onePath,
    operationId: "deleteSavedSearch",
    audit: (call) => auditedAct("saved_search.delete", { server: call.id }),
    summary: "Delete a saved search.",
    access: "key",
    successes: [{ status: 204, description: "Deleted." }],
    problems: ["not_found", "storage_full"],
    respond: async (call) => {
      await deleteSavedSearch(call.context, call.principal, pathOf(call));
      return noContent;
    },
  },
];
