import type { Page } from "../../../core/criteria.ts";

/** Index of a page's first message; beyond any count when the numbers are too large to multiply. */
export function firstIndex(page: Page): number {
  return Math.min(page.page * page.itemsPerPage, Number.MAX_SAFE_INTEGER);
}

/** What the last page of a result tells about all of it. */
export function totalOf(page: Page, end: { readonly count: number; readonly hasMore: boolean }): number | null {
  if (end.hasMore || page.before !== undefined || (end.count === 0 && page.page > 0)) return null;
  return firstIndex(page) + end.count;
}
