/** Bounds of pages of messages: by index, and by id, as ids are in the order of receipt within a server and direction. */
import type { Page } from "../core/criteria.ts";
import type { SummaryPage } from "./store.ts";
import { encodeIdBytes, encodeMessageId, idFromBytes, idToBytes, type MessageId, type ServerId } from "../core/ids.ts";
import type { Direction } from "../core/message.ts";
import { receivedBounds, type SearchExpression } from "../core/search/search-expression.ts";

/** Returns the index of a page's first message; beyond any count when the product is not a safe integer. */
export function firstIndex(page: Page): number {
  return Math.min(page.page * page.itemsPerPage, Number.MAX_SAFE_INTEGER);
}

/** Returns the total of a result as far as its last page determines it; null otherwise. */
export function totalOf(page: Page, end: { readonly count: number; readonly hasMore: boolean }): number | null {
  if (end.hasMore || page.before !== undefined || (end.count === 0 && page.page > 0)) return null;
  return firstIndex(page) + end.count;
}

/** Returns a page without messages. */
export function emptyPage(cursor: number): SummaryPage {
  return { json: new Uint8Array(0), count: 0, hasMore: false, total: 0, cursor };
}

/** Largest instant that an id can hold, in milliseconds since the Unix epoch. */
export const receivedAtMax: number = 2 ** 47 - 1;

/** Range of ids, both ends included, as text or as the sixteen bytes that columns hold. */
export interface IdRange<Id = Uint8Array> {
  readonly first: Id;
  readonly last: Id;
}

/** Returns the ids of one server and direction received at or after an instant, in whole milliseconds. */
export function idBytesSince(server: ServerId, direction: Direction, receivedAt = 0): IdRange {
  const from = Math.min(Math.max(0, receivedAt), receivedAtMax);
  return {
    first: encodeIdBytes({ server, direction, receivedAt: from, random: 0 }),
    last: encodeIdBytes({ server, direction, receivedAt: receivedAtMax, random: 0xffffffff }),
  };
}

/** Works as {@link idBytesSince}, and returns text. */
export function idsSince(server: ServerId, direction: Direction, receivedAt?: number): IdRange<MessageId> {
  const { first, last } = idBytesSince(server, direction, receivedAt);
  return { first: idFromBytes(first), last: idFromBytes(last) };
}

/** Returns the ids that could own the given one: `messageRangeOf` of core, on bytes. */
export function neighbours(id: Uint8Array): IdRange {
  const first = id.slice();
  const last = id.slice();
  first[14] = (first[14] ?? 0) & 0xfc;
  first[15] = 0;
  last[14] = (last[14] ?? 0) | 0x03;
  last[15] = 0xff;
  return { first, last };
}

/**
 * Returns the ids of one server that a page may hold: of its direction, received strictly after `receivedAfter`, which may
 * have fractions of a millisecond, and older than `before`. Undefined when that range is empty.
 */
export function idsWithin(
  server: ServerId,
  { direction, receivedAfter, before }: Pick<Page, "direction" | "receivedAfter" | "before">,
): IdRange | undefined {
  const from = receivedAfter === null ? 0 : Math.floor(receivedAfter) + 1;
  if (from > receivedAtMax) return undefined;
  const range = idBytesSince(server, direction, from);
  if (before === undefined) return range;
  const bound = idToBytes(before);
  return Buffer.compare(bound, range.last) > 0 ? range : (below(range, bound) ?? undefined);
}

/** Returns the part of a range below an id; null when that is empty. */
export function below(range: IdRange, id: Uint8Array): IdRange | null {
  const last = id.slice();
  for (let index = last.length - 1; index >= 0; index -= 1) {
    const byte = last[index] ?? 0;
    last[index] = byte === 0 ? 0xff : byte - 1;
    if (byte > 0) break;
  }
  return Buffer.compare(last, range.first) < 0 ? null : { first: range.first, last };
}

/** Returns a page within the instants that every match of an expression has. */
export function withinBounds<Given extends Page>(page: Given, server: ServerId, expression: SearchExpression): Given {
  const { from, before } = receivedBounds(expression);
  const receivedAfter = from === null ? page.receivedAfter : Math.max(page.receivedAfter ?? -1, Math.ceil(from) - 1);
  const receivedAt = Math.max(0, Math.ceil(before ?? Infinity));
  if (receivedAt > receivedAtMax) return { ...page, receivedAfter };
  const bound = encodeMessageId({ server, direction: page.direction, receivedAt, random: 0 });
  return { ...page, receivedAfter, before: page.before !== undefined && page.before < bound ? page.before : bound };
}
