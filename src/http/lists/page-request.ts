import { type LabelRole, labelRoles, type Page } from "../../core/criteria.ts";
import { searchedServersItemCountMax } from "../../core/limits.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { readQuery, type SearchQuery } from "../../operations/services/search/read-search.ts";
import type { Call, KeyCall, QueryParameter } from "../route.ts";
import { isOfficialLibrary } from "../wire/message-json.ts";
import { decodePage, requireServer } from "../wire/page-query.ts";
import type { Query } from "../wire/query.ts";
import { build } from "../../core/schema.ts";
import { queryDescription } from "../wire/search-schema.ts";
import { instantText, searchedText } from "../../core/text-schemas.ts";

/** Query parameter that names a server. */
export const serverParameter: QueryParameter = {
  name: "server",
  description: "Id of the server.",
  isRequired: true,
  schema: build.string(),
};

const receivedAfterParameter: QueryParameter = {
  name: "receivedAfter",
  description:
    "Only messages received strictly after this instant: ISO 8601 (UTC without an offset), RFC 5322 or epoch milliseconds.",
  schema: build.anyOf([...(instantText().anyOf ?? []), build.integer()]),
};

const directionParameter: QueryParameter = {
  name: "dir",
  description: "Received or sent messages.",
  schema: build.enum(["Received", "Sent"], { default: "Received" }),
};

const beforeParameter: QueryParameter = {
  name: "before",
  description: "Only messages older than the one with this id, which may have been deleted.",
  schema: build.string({ format: "uuid" }),
};

const itemsPerPageParameter: QueryParameter = {
  name: "itemsPerPage",
  description: "Number of items on a page.",
  schema: build.integer({ minimum: 1, maximum: 1000, default: 50 }),
};

/** Query parameters that list and search share. */
export const pageParameters: readonly QueryParameter[] = [
  serverParameter,
  receivedAfterParameter,
  {
    name: "page",
    description: "Page number, from 0.",
    schema: build.integer({ minimum: 0, default: 0 }),
  },
  itemsPerPageParameter,
  directionParameter,
  {
    name: "after",
    description: "Only messages committed after the response that carried this value in `X-Cursor`.",
    schema: build.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  },
  beforeParameter,
];

/** Query parameters of lists that have numbered pages only. */
export const numberedPageParameters: readonly QueryParameter[] = pageParameters.filter(
  ({ name }) => name === "page" || name === "itemsPerPage",
);

const labelDescriptions: Readonly<Record<LabelRole, string>> = {
  providerId: "Only the message with this id in the response of a provider's API.",
  tag: "Only messages with this tag, from a provider's API or added later.",
  provider: "Only messages that were submitted through the API of this provider.",
};

/** Query parameters that compare the facts of a provider. */
export const labelParameters: readonly QueryParameter[] = labelRoles.map((name) => {
  return { name, description: labelDescriptions[name], schema: searchedText() };
});

/** Query parameters of searches by words and operators. */
export const queryParameters: readonly QueryParameter[] = [
  { name: "q", description: queryDescription, schema: searchedText() },
  {
    name: "timeZone",
    description: "Time zone of the dates in `q`, such as `Europe/Berlin`; UTC by default.",
    schema: build.string(),
  },
];

/** Query parameters of searches over all servers of a key. */
export const serversSearchParameters: readonly QueryParameter[] = [
  ...queryParameters,
  receivedAfterParameter,
  {
    name: "page",
    description: `Page number, from 0; pages reach ${searchedServersItemCountMax} messages, and \`before\` the others.`,
    schema: build.integer({ minimum: 0, default: 0 }),
  },
  itemsPerPageParameter,
  directionParameter,
  beforeParameter,
];

/** Query parameters of suggestions for a search. */
export const suggestionParameters: readonly QueryParameter[] = [
  { ...serverParameter, description: "Id of the server; all servers of the key without it.", isRequired: false },
  ...queryParameters,
  receivedAfterParameter,
  directionParameter,
];

/** Query parameters of search alone. */
export const waitParameters: readonly QueryParameter[] = [
  {
    name: "timeout",
    description: "Milliseconds to wait for a match; the response comes with the first one.",
    schema: build.integer({ minimum: 0, maximum: 60_000 }),
  },
  {
    name: "count",
    description: "Number of messages that must match before a waiting search responds.",
    schema: build.integer({ minimum: 1, maximum: 1000, default: 1 }),
  },
  {
    name: "absent",
    description: "Asserts that nothing matches: a match within `timeout` causes status 409.",
    schema: build.boolean({ default: false }),
  },
  {
    name: "expect",
    description:
      "Asserts that exactly this many messages match: fewer at the end of `timeout`, or more, cause status 409.",
    schema: build.integer({ minimum: 1, maximum: 1000 }),
  },
  {
    name: "settle",
    description: "With `expect`: milliseconds for which no further message may match; with `timeout` at most 60000.",
    schema: build.integer({ minimum: 0, maximum: 60_000, default: 1000 }),
  },
  {
    name: "explain",
    description:
      "Whether the response is an `ExplainedSearch` instead of an array: it explains why too few messages matched.",
    schema: build.boolean({ default: false }),
  },
  {
    name: "full",
    description: "Whether to return full messages instead of summaries; at most 100 on a page.",
    schema: build.boolean({ default: false }),
  },
];

/** Server and page of a list request. */
export interface ListRequest {
  readonly server: string;
  readonly page: Page;
}

const foldedLabels = labelRoles.map((name) => ({ name, folded: name.toLowerCase() }));

/** Decodes the parameters of {@link labelParameters}; empty ones count as absent. */
export function requestedLabels(query: Query): Partial<Record<LabelRole, string>> {
  const labels: Partial<Record<LabelRole, string>> = {};
  for (const { name, folded } of foldedLabels) {
    const value = query.get(folded) ?? "";
    if (value !== "") labels[name] = value;
  }
  return labels;
}

/**
 * Reads the query of a request, `given` instead of the parameter `q` where it is present; null without one. Throws a 400 as
 * `readQuery` does.
 */
export function requestedQuery({ context, query }: KeyCall, given: string | undefined): SearchQuery | null {
  const text = given ?? query.get("q") ?? "";
  if (text.trim() === "") return null;
  const timeZone = query.get("timezone") ?? "";
  return readQuery(context, text, timeZone === "" ? {} : { timeZone });
}

/** Decodes server and page of a list request; throws a 400 that names every wrong parameter. */
export function requestedList(call: Call): ListRequest {
  const errors = new FieldCollector();
  const server = errors.collect(() => requireServer(call.query));
  const page = errors.collect(() => requestedPage(call));
  errors.finish();
  if (server === undefined || page === undefined) throw new Error("a parameter failed without a field error");
  return { server, page };
}

/** Decodes the page of a list request; throws a 400 that names every wrong parameter. */
export function requestedPage(call: Call): Page {
  return decodePage(call.query, {
    limits: call.context.limits,
    ignoresUnknownDirection: isOfficialLibrary(call.headers["user-agent"]),
  });
}
