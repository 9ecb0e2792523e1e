import { keyRoute } from "../rows.ts";
import type { Page } from "../../../core/criteria.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import {
  deleteSavedSearch,
  listSavedSearches,
  putSavedSearch,
  savedSearchRequestSchema,
  savedSearchSchema,
} from "../../../operations/searches/saved-searches.ts";
import { searchServers } from "../../../operations/searches/search-servers.ts";
import { suggestSearches } from "../../../operations/searches/suggest-searches.ts";
import type { SearchQuery } from "../../../operations/services/search/read-search.ts";
import { auditedAct } from "../../audit.ts";
import {
  requestedPage,
  requestedQuery,
  serversSearchParameters,
  suggestionParameters,
} from "../../lists/page-request.ts";
import { listResponse, pageHeaders } from "../../lists/page-response.ts";
import type { KeyCall, KeyRoute } from "../../route.ts";
import { summarySchema } from "../../../core/message.ts";
import { restOfPageUrl } from "../../wire/page-query.ts";
import { listOf } from "../../../core/schema.ts";
import { searchSuggestionSchema } from "../../wire/search-schema.ts";

/** Decodes query and page; throws a 400 that names every wrong parameter. */
function requested(call: KeyCall): { readonly query: SearchQuery | null; readonly page: Page } {
  const errors = new FieldCollector();
  const query = errors.collect(() => requestedQuery(call, undefined));
  const page = errors.collect(() => requestedPage(call));
  errors.finish();
  if (query === undefined || page === undefined) throw new Error("a parameter failed without a field error");
  return { query, page };
}

/** Routes of searches over all servers, and of suggestions. */
export const searchRoutes: readonly KeyRoute[] = [
  keyRoute("searchServers", "GET /api/search", {
    summary: "Search the messages of all servers of the key, newest first.",
    query: serversSearchParameters,
    returns: ["One page of summaries, newest first.", listOf(summarySchema), { headers: pageHeaders }],
    problems: ["not_found"],
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
  }),
  keyRoute("suggestSearches", "GET /api/search/suggestions", {
    summary: "Suggest searches that differ in one respect from a query and find messages, with their numbers.",
    query: suggestionParameters,
    returns: ["The suggestions that find messages, the likeliest ones first.", listOf(searchSuggestionSchema)],
    problems: ["not_found"],
    run: async (call) => {
      const { query, page } = requested(call);
      const server = call.query.get("server") ?? "";
      const timeZone = call.query.get("timezone") ?? "";
      return suggestSearches(call.context, call.principal, {
        server: server === "" ? null : server,
        query,
        page,
        timeZone: timeZone === "" ? undefined : timeZone,
        gone: call.signal(),
      });
    },
  }),
];

const path = "/api/servers/:id/searches";
const onePath = `${path}/:name`;

function pathOf({ id, params }: KeyCall): { readonly server: string; readonly name: string } {
  return { server: id, name: params["name"] ?? "" };
}

/** Routes of the saved searches of servers. */
export const savedSearchRoutes: readonly KeyRoute[] = [
  keyRoute("listSavedSearches", `GET ${path}`, {
    summary: "List the saved searches of a server, oldest first.",
    returns: ["The searches.", listOf(savedSearchSchema)],
    run: async ({ context, principal, id }) => listSavedSearches(context, principal, id),
  }),
  keyRoute("putSavedSearch", `PUT ${onePath}`, {
    summary: "Save a search under a name, or replace the one with this name.",
    body: savedSearchRequestSchema,
    required: ["q"],
    audit: (call) => auditedAct("saved_search.put", { server: call.id }),
    returns: ["The search.", savedSearchSchema],
    problems: ["limit_reached"],
    run: async (call, { q = "" }) => putSavedSearch(call.context, call.principal, { ...pathOf(call), q }),
  }),
  keyRoute("deleteSavedSearch", `DELETE ${onePath}`, {
    summary: "Delete a saved search.",
    audit: (call) => auditedAct("saved_search.delete", { server: call.id }),
    returns: ["Deleted."],
    run: async (call) => deleteSavedSearch(call.context, call.principal, pathOf(call)),
  }),
];
