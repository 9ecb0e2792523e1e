import type { Page } from "../../../core/criteria.ts";
import type { ServerId } from "../../../core/ids.ts";
import { dependsOnMarks, type SearchExpression } from "../../../core/search/search-expression.ts";

/** Sequence number up to which a server has no match, valid for one epoch. */
export interface NoMatch {
  readonly epoch: number;
  readonly upTo: number;
}

const entryCountMax = 20_000;

/**
 * Cache of searches without matches, so that repeated searches scan later messages only. Entries hold on all nodes: deleting
 * messages does not invalidate them, and emptying or recreating a server changes its epoch. Searches for flags and tags are not
 * cached: a stored message can get them on any node.
 */
export class NoMatches {
  /** Least recently used first. */
  readonly #upTo = new Map<string, NoMatch>();

  recall(server: ServerId, expression: SearchExpression, page: Page): NoMatch | undefined {
    const name = cacheKeyOf(server, expression, page);
    return name === undefined ? undefined : this.#upTo.get(name);
  }

  /** Remembers a search over all pages and all changes that found nothing. */
  remember(
    {
      server,
      expression,
      page,
    }: { readonly server: ServerId; readonly expression: SearchExpression; readonly page: Page },
    noMatch: NoMatch,
  ): void {
    const name = cacheKeyOf(server, expression, page);
    if (name === undefined) return;
    this.#upTo.delete(name);
    this.#upTo.set(name, noMatch);
    if (this.#upTo.size <= entryCountMax) return;
    for (const oldest of this.#upTo.keys()) {
      this.#upTo.delete(oldest);
      break;
    }
  }
}

/** Length of a cache key beyond which a search is not cached: the number of entries is limited, not their keys. */
const keyLengthMax = 4000;

/** Returns a cache key, equal for searches that the same messages match; undefined for those that are not cached. */
function cacheKeyOf(server: ServerId, expression: SearchExpression, page: Page): string | undefined {
  if (dependsOnMarks(expression)) return undefined;
  const key = JSON.stringify([server, page.direction, page.receivedAfter, page.before ?? 0, expression]);
  return key.length > keyLengthMax ? undefined : key;
}
