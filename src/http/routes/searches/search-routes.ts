import type { Page } from "../../../core/criteria.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { deleteSavedSearch, listSavedSearches, putSavedSearch } from "../../../operations/searches/saved-searches.ts";
import { searchServers } from "../../../operations/searches/search-servers.ts";
import { suggestSearches } from "../../../operations/searches/suggest-searches.ts";
import type { SearchQuery } from "../../../operations/services/search/read-query.ts";
import { auditedAct } from "../../audit.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import {
  requestedPage,
  requestedQuery,
  serversSearchParameters,
  suggestionParameters,
} from "../../lists/page-request.ts";
import { listResponse, pageHeaders } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute } from "../../route.ts";
import { summarySchema } from "../../../core/message.ts";
import { restOfPageUrl } from "../../wire/page-query.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listOf } from "../../../core/schema.ts";
import { savedSearchRequestSchema, savedSearchSchema, searchSuggestionSchema } from "../../wire/search-schema.ts";

/** Decodes query and page; throws a 400 that names every wrong parameter. */
function requested(call: KeyCall): { readonly query: SearchQuery | null; readonly page: Page } {
  const errors = new FieldCollector();
  const query = errors.collect(() => requestedQuery(call, undefined));
  const page = errors.collect(() => requestedPage(call));
  errors.finish();
  if (query === undefined || page === undefined) throw new Error("a parameter failed without a field error");
  return { query, page };
}

/** `GET /api/search`: a page of the messages of all servers of the key that match a query. */
const searchServersRoute: KeyRoute = {
  method: "GET",
  path: "/api/search",
  operationId: "searchServers",
  summary: "Search the messages of all servers of the key, newest first.",
  access: "key",
  query: serversSearchParameters,
  successes: [
    {
      status: 200,
      description: "One page of summaries, newest first.",
      schema: listOf(summarySchema),
      headers: pageHeaders,
    },
  ],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const { query, page } = requested(call);
    const found = await searchServers(call.context, call.principal, { query, page, gone: call.signal() });
    const response = listResponse(call, found.summaries);
    const last = found.summaries.at(-1);
    const link =
      found.hasMore && last !== undefined
        ? { link: `<${restOfPageUrl(call.path, call.query, last.id)}>; rel="next"` }
        : {};
    const total = found.total === null ? {} : { "x-total-count": String(found.total) };
    return { ...response, headers: { ...response.headers, ...link, ...total } };
  },
};

/** `GET /api/search/suggestions`: searches that find messages where the requested one finds none. */
const suggestSearchesRoute: KeyRoute = {
  method: "GET",
  path: "/api/search/suggestions",
  operationId: "suggestSearches",
  summary: "Suggest searches that differ in one respect from a query and find messages, with their numbers.",
  access: "key",
  query: suggestionParameters,
  successes: [
    {
      status: 200,
      description: "The suggestions that find messages, the likeliest ones first.",
      schema: listOf(searchSuggestionSchema),
    },
  ],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const { query, page } = requested(call);
    const server = call.query.get("server") ?? "";
    const timeZone = call.query.get("timezone") ?? "";
    const suggestions = await suggestSearches(call.context, call.principal, {
      server: server === "" ? null : server,
      query,
      page,
      timeZone: timeZone === "" ? undefined : timeZone,
      gone: call.signal(),
    });
    return listResponse(call, suggestions);
  },
};

/** Routes of searches over all servers, and of suggestions. */
export const searchRoutes: readonly KeyRoute[] = [searchServersRoute, suggestSearchesRoute];

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
