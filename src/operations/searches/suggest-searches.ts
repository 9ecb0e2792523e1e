import type { Principal } from "../../core/api-key.ts";
import type { Page } from "../../core/criteria.ts";
import type { ServerId } from "../../core/ids.ts";
import { searchSuggestionCountMax, suggestedMatchCountMax, suggestionsMsMax } from "../../core/limits.ts";
import type { Direction } from "../../core/message.ts";
import { type QueryTerm, similarOperator } from "../../core/search/parse-query.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import type { Context } from "../context.ts";
import { readQuery, type SearchQuery } from "../services/search/read-search.ts";
import { openServer } from "../services/security/access.ts";
import { eachServer } from "./search-servers.ts";

/** Difference of a suggested search from the requested one. */
export type SuggestionKind = "direction" | "servers" | "replace" | "without";

/** Search that finds messages where the requested one may find none. */
export interface SearchSuggestion {
  readonly kind: SuggestionKind;
  readonly q: string;
  /** Null for all servers of the key. */
  readonly server: ServerId | null;
  readonly dir: Direction;
  /** Term of the requested query that is replaced or left out, and its replacement; null where there is none. */
  readonly term: string | null;
  readonly replacement: string | null;
  /** Number of matches, at most `suggestedMatchCountMax`. */
  readonly count: number;
  /** False when there are more matches. */
  readonly isExact: boolean;
}

/** Search to suggest others for. */
export interface SuggestionRequest {
  /** Null for all servers of the key. */
  readonly server: string | null;
  /** Null for none. */
  readonly query: SearchQuery | null;
  readonly page: Page;
  readonly timeZone: string | undefined;
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
}

type Draft = Omit<SearchSuggestion, "count" | "isExact"> & { readonly expression: SearchExpression };

/**
 * Returns searches that differ in one respect from the requested one and find messages, at most
 * `searchSuggestionCountMax`. Those that are not counted within `suggestionsMsMax` are left out, and a query without terms has
 * none. Rejects with `not_found`.
 */
export async function suggestSearches(
  context: Context,
  principal: Principal,
  request: SuggestionRequest,
): Promise<readonly SearchSuggestion[]> {
  const { query } = request;
  const server = request.server === null ? null : (await openServer(context, principal, request.server)).id;
  if (query === null || query.terms.length === 0) return [];
  const late = new AbortController();
  const cancel = context.clock.after(suggestionsMsMax, () => late.abort());
  const signal = AbortSignal.any([request.gone, late.signal]);
  const found: SearchSuggestion[] = [];
  try {
    for (const { expression, ...draft } of draftsOf(context, principal, { ...request, query, server })) {
      if (signal.aborted) break;
      const page = { ...request.page, direction: draft.dir };
      const counted = await count(context, principal, { server: draft.server, expression, page, signal });
      if (counted.count > 0) found.push({ ...draft, ...counted });
    }
  } catch (error) {
    if (!late.signal.aborted || request.gone.aborted) throw error;
  } finally {
    cancel();
  }
  return found;
}

async function count(
  context: Context,
  principal: Principal,
  {
    server: only,
    expression,
    page,
    signal: gone,
  }: {
    readonly server: ServerId | null;
    readonly expression: SearchExpression;
    readonly page: Page;
    readonly signal: AbortSignal;
  },
): Promise<Pick<SearchSuggestion, "count" | "isExact">> {
  let found = 0;
  const bounds = { ...page, page: 0, itemsPerPage: suggestedMatchCountMax + 1, caller: principal.keyId };
  const visit = async (server: ServerId, signal: AbortSignal): Promise<void> => {
    const { identities } = await context.store.findMessages(server, expression, { ...bounds, signal });
    found += identities.length;
  };
  const isDone = (): boolean => found > suggestedMatchCountMax;
  if (only === null) await eachServer(context, principal, { visit, isDone, gone });
  else await visit(only, gone);
  return { count: Math.min(found, suggestedMatchCountMax), isExact: !isDone() };
}

/** Returns the searches to count, those that a person probably meant first. */
function draftsOf(
  context: Context,
  principal: Principal,
  {
    server,
    query,
    page,
    timeZone,
  }: Omit<SuggestionRequest, "server" | "query"> & {
    readonly server: ServerId | null;
    readonly query: SearchQuery;
  },
): readonly Draft[] {
  const { direction } = page;
  const same = { server, q: query.text, dir: direction, term: null, replacement: null } as const;
  const withQuery = (changed: ChangedQuery): readonly Draft[] => {
    const { terms, expression } = readQuery(context, changed.q, { timeZone });
    return terms.length === 0 ? [] : [{ ...same, ...changed, expression }];
  };
  const { expression } = query;
  const drafts: readonly Draft[] = [
    { ...same, kind: "direction", dir: direction === "Sent" ? "Received" : "Sent", expression },
    ...(server !== null && principal.server === null
      ? [{ ...same, kind: "servers" as const, server: null, expression }]
      : []),
    ...query.terms.flatMap((term) => replacements(query.text, term)).flatMap(withQuery),
    ...withoutOne(query).flatMap(withQuery),
  ];
  return drafts.slice(0, searchSuggestionCountMax);
}

type ChangedQuery = Pick<SearchSuggestion, "kind" | "q" | "term" | "replacement">;

/** Operator that people confuse with one of the others. */
const counterparts: Readonly<Record<string, string>> = {
  from: "recipient",
  sender: "recipient",
  to: "from",
  cc: "recipient",
  bcc: "recipient",
  recipient: "from",
  subject: "body",
  body: "subject",
};
/** Operators whose values are also found anywhere. */
const textOperators: ReadonlySet<string> = new Set([
  ...Object.keys(counterparts),
  "reply-to",
  "addressed",
  "filename",
  "tag",
  "message-id",
]);

function replacements(q: string, { text, start, end, operator, value, isNegated }: QueryTerm): readonly ChangedQuery[] {
  if (isNegated) return [];
  const quoted = `"${value.replaceAll('"', " ")}"`;
  const own = /["\s()]/.test(value) ? quoted : value;
  const counterpart = operator === null ? similarOperator(text) : counterparts[operator];
  const meant = operator === null ? text.slice(text.indexOf(":") + 1) : own;
  const given = counterpart === undefined ? [] : [`${counterpart}:${meant}`];
  const anywhere = operator !== null && textOperators.has(operator) ? [own.includes(":") ? quoted : own] : [];
  return [...given, ...anywhere].map((replacement) => ({
    kind: "replace",
    q: `${q.slice(0, start)}${replacement}${q.slice(end)}`,
    term: q.slice(start, end),
    replacement,
  }));
}

/** Returns the query without each of its parts. */
function withoutOne({ conjuncts }: SearchQuery): readonly ChangedQuery[] {
  if (conjuncts.length < 2) return [];
  return conjuncts.map(({ text }, at) => ({
    kind: "without",
    q: conjuncts
      .toSpliced(at, 1)
      .map((other) => other.text)
      .join(" "),
    term: text,
    replacement: null,
  }));
}
