import type { Page } from "../../../core/criteria.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import type { SearchQuery } from "../../../operations/services/search/read-query.ts";
import { searchServers } from "../../../operations/searches/search-servers.ts";
import { suggestSearches } from "../../../operations/searches/suggest-searches.ts";
import { listResponse, pageHeaders } from "../../lists/page-response.ts";
import {
  requestedPage,
  requestedQuery,
  serversSearchParameters,
  suggestionParameters,
} from "../../lists/page-request.ts";
import type { KeyCall, KeyRoute } from "../../route.ts";
import { summarySchema } from "../../wire/message-schema.ts";
import { restOfPageUrl } from "../../wire/page-query.ts";
import { listOf } from "../../wire/schema.ts";
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
