import type { Page } from "../core/criteria.ts";
import type { SummaryPage } from "./store.ts";

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
