/** A list of which only some pages are loaded, and whose hidden items are left out. */
import type { MessagePage } from "../api/messages.ts";
import { pageSize } from "../navigation/mail-query.ts";
import type { MatchCount, Summary } from "../wire.ts";

/** A list by its rows. */
export interface SparseList {
  /** Number of rows as far as it is known. */
  readonly count: number;
  /** Number of messages that are known to exist. */
  readonly knownCount: number;
  /** Whether there are more than `knownCount`; the list then has a page of rows that are not loaded yet. */
  readonly isOpenEnded: boolean;
  /** Returns the message of a row; undefined while its page is not loaded. */
  at(row: number): Summary | undefined;
  /** Returns the row of a loaded message; -1 for others. */
  rowOf(id: string): number;
  /** Returns the ids of the loaded messages, in their order. */
  loadedIds(): readonly string[];
  /** Returns the number of the page of a row. */
  pageOf(row: number): number;
}

/**
 * Joins pages by their numbers to a list without the messages in `hidden`. `counted` is the number of messages on all pages
 * where they do not tell it.
 */
export function joinPages(
  pages: ReadonlyMap<number, MessagePage>,
  hidden: ReadonlySet<string>,
  counted?: Pick<MatchCount, "count" | "isExact">,
): SparseList {
  const { count, isOpenEnded } = countOf(pages, counted);
  const items = new Map<number, Summary>();
  for (const [number, page] of pages) {
    // Pages that are older than the count may have messages behind the end.
    const rest = Math.max(0, count - number * pageSize);
    for (const [at, item] of page.items.slice(0, rest).entries()) items.set(number * pageSize + at, item);
  }
  const hiddenIndices = Array.from(items, ([at, item]) => (hidden.has(item.id) ? at : -1))
    .filter((at) => at >= 0)
    .toSorted((one, other) => one - other);
  const rowCount = Math.max(0, count - hiddenIndices.length);
  const indexOf = (row: number): number => {
    let index = row;
    for (const hiddenIndex of hiddenIndices) if (hiddenIndex <= index) index += 1;
    return index;
  };
  return {
    count: rowCount,
    knownCount: isOpenEnded ? Math.max(0, rowCount - pageSize) : rowCount,
    isOpenEnded,
    at: (row) => items.get(indexOf(row)),
    rowOf: (id) => {
      for (const [at, item] of items) {
        if (item.id === id && !hidden.has(id))
          return at - hiddenIndices.filter((hiddenIndex) => hiddenIndex < at).length;
      }
      return -1;
    },
    loadedIds: () =>
      Array.from(items)
        .toSorted(([one], [other]) => one - other)
        .flatMap(([, { id }]) => (hidden.has(id) ? [] : [id])),
    pageOf: (row) => Math.floor(indexOf(row) / pageSize),
  };
}

/**
 * Returns the cursor of a list whose pages tell neither a total nor the end of the list, so that its messages have to be
 * counted; null for others.
 */
export function uncountedCursor(pages: ReadonlyMap<number, MessagePage>): number | null {
  const newest = newestOf(pages);
  return newest === undefined || newest.total !== null || !countOf(pages).isOpenEnded ? null : newest.cursor;
}

function newestOf(pages: ReadonlyMap<number, MessagePage>): MessagePage | undefined {
  let newest: MessagePage | undefined;
  for (const page of pages.values()) if (newest === undefined || page.cursor >= newest.cursor) newest = page;
  return newest;
}

/** Returns the total where it is known; otherwise the rows that are known, plus a page if there are more. */
function countOf(
  pages: ReadonlyMap<number, MessagePage>,
  counted?: Pick<MatchCount, "count" | "isExact">,
): { count: number; isOpenEnded: boolean } {
  const newest = newestOf(pages);
  let end = 0;
  let isOpenEnded = false;
  for (const [number, page] of pages) {
    const pageEnd = number * pageSize + page.items.length;
    if (pageEnd < end) continue;
    end = pageEnd;
    isOpenEnded = page.hasMore;
  }
  if (newest !== undefined && newest.total !== null) return { count: newest.total, isOpenEnded: false };
  if (!isOpenEnded) return { count: end, isOpenEnded };
  // A count that is older than the pages may have fewer.
  if (counted?.isExact === true && counted.count > end) return { count: counted.count, isOpenEnded: false };
  return { count: Math.max(end, counted?.count ?? 0) + pageSize, isOpenEnded };
}

/** Parts of a message that determine its position. */
interface LocatedMessage {
  readonly id: string;
  /** ISO 8601. */
  readonly received: string;
}

/** Most doublings of the searched range; enough for ten million messages. */
const readsMax = 17;
/** Most pages that are searched for a message among others of the same instant. */
const sameInstantPagesMax = 8;

/** Returns the number of the page with a message; null when no page has it. `read` returns a page, empty past the end. */
export async function locatePage(
  read: (page: number) => Promise<MessagePage>,
  { id, received }: LocatedMessage,
): Promise<number | null> {
  let [low, high] = [0, 0];
  for (let reads = 0; reads < readsMax && endsBefore(await read(high), received); reads += 1) {
    low = high + 1;
    high = high * 2 + 1;
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (endsBefore(await read(middle), received)) low = middle + 1;
    else high = middle;
  }
  for (let page = low; page < low + sameInstantPagesMax; page += 1) {
    const { items } = await read(page);
    if (items.some((item) => item.id === id)) return page;
    if (items.length < pageSize || (items.at(-1)?.received ?? "") < received) return null;
  }
  return null;
}

function endsBefore({ items }: MessagePage, received: string): boolean {
  const last = items.at(-1);
  return last !== undefined && last.received > received;
}
