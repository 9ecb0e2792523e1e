/** A long list of which only some pages are known, with some of its items hidden. */
import { pageSize, type MessagePage } from "../api/messages.ts";
import type { Summary } from "../wire.ts";

/** The list as its rows see it. */
export interface SparseList {
  /** How many rows there are, as far as is known. */
  readonly count: number;
  /** Whether `count` may still grow. */
  readonly isOpenEnded: boolean;
  /** The row's message; undefined where its page is not there yet. */
  at(row: number): Summary | undefined;
  /** The row of a message among those that are there; -1 for others. */
  rowOf(id: string): number;
  /** The page that holds a row. */
  pageOf(row: number): number;
}

/** Puts pages together; `hidden` ids are left out as if they were not there. */
export function joinPages(pages: ReadonlyMap<number, MessagePage>, hidden: ReadonlySet<string>): SparseList {
  const items = new Map<number, Summary>();
  for (const [number, page] of pages) {
    for (const [at, item] of page.items.entries()) items.set(number * pageSize + at, item);
  }
  const gaps = Array.from(items, ([at, item]) => (hidden.has(item.id) ? at : -1))
    .filter((at) => at >= 0)
    .toSorted((one, other) => one - other);
  const { count, isOpenEnded } = countOf(pages);
  const indexOf = (row: number): number => {
    let index = row;
    for (const gap of gaps) if (gap <= index) index += 1;
    return index;
  };
  return {
    count: Math.max(0, count - gaps.length),
    isOpenEnded,
    at: (row) => items.get(indexOf(row)),
    rowOf: (id) => {
      for (const [at, item] of items) {
        if (item.id === id && !hidden.has(id)) return at - gaps.filter((gap) => gap < at).length;
      }
      return -1;
    },
    pageOf: (row) => Math.floor(indexOf(row) / pageSize),
  };
}

/** The total where the service counts; else all that is known, and one page more where there is more. */
function countOf(pages: ReadonlyMap<number, MessagePage>): { count: number; isOpenEnded: boolean } {
  let newest: MessagePage | undefined;
  let end = 0;
  let isOpenEnded = false;
  for (const [number, page] of pages) {
    if (newest === undefined || page.cursor >= newest.cursor) newest = page;
    const pageEnd = number * pageSize + page.items.length;
    if (pageEnd < end) continue;
    end = pageEnd;
    isOpenEnded = page.hasMore;
  }
  if (newest !== undefined && newest.total !== null) return { count: newest.total, isOpenEnded: false };
  return { count: end + (isOpenEnded ? pageSize : 0), isOpenEnded };
}
