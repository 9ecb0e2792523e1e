/** Searches by expressions, with terms of header fields, which stores cannot decide. */
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { HeaderField } from "../../../core/message.ts";
import { foldText } from "../../../core/fold.ts";
import {
  and,
  hasTerm,
  not,
  occurringTerms,
  replaceTerms,
  withoutHeaders,
} from "../../../core/search/search-expression.ts";
import type { SearchExpression, SearchTerm } from "../../../core/search/search-expression.ts";
import { identityCountMax, type IdentityPage, type MessageIdentity } from "../../../store/mark-store.ts";
import type { SearchPage, Store } from "../../../store/store.ts";
import { decodeDetail } from "../reading/stored-detail.ts";

type HeaderTerm = SearchTerm & { readonly kind: "header" };
type SearchedStore = Pick<Store, "findMessages" | "getDetail">;
/** Page whose number does not count: it begins at its bounds. */
type Bounds = Omit<SearchPage, "page">;

/** Messages whose header fields are compared before the page is checked again. */
const headerBatchCount = 100;

/**
 * Finds the newest matches of an expression, at most `itemsPerPage` (up to `identityCountMax`). Header fields are read only of
 * messages that the rest of the expression leaves. Rejects with `unavailable` when the caller has disconnected.
 */
export async function findMessages(
  store: SearchedStore,
  server: ServerId,
  { expression, within }: { readonly expression: SearchExpression; readonly within: Bounds },
): Promise<IdentityPage> {
  if (!hasTerm(expression, "header")) return await store.findMessages(server, expression, { ...within, page: 0 });
  const found: MessageIdentity[] = [];
  const wider = withoutHeaders(expression);
  let bounds = within;
  for (;;) {
    const batch = await store.findMessages(server, wider, { ...bounds, page: 0, itemsPerPage: headerBatchCount });
    found.push(...(await filterByHeaders(store, server, { expression, bounds, batch: batch.identities })));
    const last = batch.identities.at(-1);
    const isFull = found.length > within.itemsPerPage;
    if (isFull || !batch.hasMore || last === undefined) {
      return { identities: found.slice(0, within.itemsPerPage), cursor: batch.cursor, hasMore: isFull };
    }
    bounds = { ...bounds, before: last.id };
  }
}

/** Number of matches of an expression. */
export interface MatchCount {
  readonly count: number;
  /** False when there are more matches than were counted. */
  readonly isExact: boolean;
  /** Number of the last change of the server that the count includes; null where it is not known. */
  readonly cursor: number | null;
}

/** Counts matches, at most `countMax`. Rejects with `unavailable` when the caller has disconnected. */
export async function countMessages(
  store: SearchedStore,
  server: ServerId,
  search: {
    readonly expression: SearchExpression;
    readonly within: Omit<Bounds, "itemsPerPage">;
    readonly countMax: number;
  },
): Promise<MatchCount> {
  const { expression, within, countMax } = search;
  if (!hasTerm(expression, "header")) {
    const page = { ...within, page: 0, itemsPerPage: countMax, countOnly: true };
    const { count, hasMore, cursor } = await store.findMessages(server, expression, page);
    return { count, isExact: !hasMore, cursor };
  }
  let count = 0;
  for await (const { length } of eachBatch(store, server, { expression, within })) {
    count += length;
    if (count > countMax) return { count: countMax, isExact: false, cursor: null };
  }
  return { count, isExact: true, cursor: null };
}

/** Search of which all matches are read. */
export interface BatchedSearch {
  readonly expression: SearchExpression;
  readonly within: Omit<Bounds, "itemsPerPage">;
  /** Size of a batch; `identityCountMax`, which is the largest one, by default. */
  readonly countMax?: number;
}

/** Yields the ids of all matches, newest first, in batches. */
export async function* eachBatch(
  store: SearchedStore,
  server: ServerId,
  { expression, within, countMax = identityCountMax }: BatchedSearch,
): AsyncGenerator<readonly MessageIdentity[]> {
  let before: MessageId | undefined = within.before;
  for (;;) {
    const bounds = { ...within, itemsPerPage: countMax, ...(before !== undefined && { before }) };
    const { identities, hasMore } = await findMessages(store, server, { expression, within: bounds });
    if (identities.length > 0) yield identities;
    before = identities.at(-1)?.id;
    if (!hasMore || before === undefined) return;
  }
}

/**
 * Returns those of a batch that match. Messages with the same outcome of all terms of header fields are left to the store,
 * with these outcomes in place of the terms.
 */
async function filterByHeaders(
  store: SearchedStore,
  server: ServerId,
  search: {
    readonly expression: SearchExpression;
    readonly bounds: Bounds;
    readonly batch: readonly MessageIdentity[];
  },
): Promise<readonly MessageIdentity[]> {
  const { expression, bounds, batch } = search;
  const terms = occurringTerms(expression).flatMap(({ term }) => (term.kind === "header" ? [term] : []));
  const groups = new Map<string, MessageIdentity[]>();
  for (const identity of batch) {
    const detail = await store.getDetail(identity.id);
    if (detail === undefined) continue;
    const { headers } = decodeDetail(detail).message.metadata;
    const outcomes = JSON.stringify(terms.map((term) => hasHeader(headers, term)));
    groups.set(outcomes, [...(groups.get(outcomes) ?? []), identity]);
  }
  const matches: MessageIdentity[] = [];
  for (const [outcomes, group] of groups) {
    const values = JSON.parse(outcomes) as readonly boolean[];
    let at = 0;
    const decided = replaceTerms(expression, (term) => {
      if (term.kind !== "header") return term;
      at += 1;
      return values[at - 1] === true ? { kind: "always" } : not({ kind: "always" });
    });
    const ranges = group.map(({ sequence }) => [sequence, sequence] as const);
    const only = and(decided, { kind: "sequence", ranges });
    const { identities } = await store.findMessages(server, only, {
      ...bounds,
      page: 0,
      itemsPerPage: headerBatchCount,
    });
    matches.push(...identities);
  }
  return matches.toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

/** Returns whether a field with the name, or any where the name is empty, contains the term. */
function hasHeader(headers: readonly HeaderField[], { name, term }: HeaderTerm): boolean {
  return headers.some(
    ({ field, value }) => (name === "" || field.toLowerCase() === name) && foldText(value).includes(term),
  );
}
