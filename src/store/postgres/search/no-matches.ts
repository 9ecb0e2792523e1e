import { criteriaKey, type Page } from "../../../core/criteria.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { FoldedCriteria } from "../../store.ts";

/** Sequence number up to which a server has no match, valid for one epoch. */
export interface NoMatch {
  readonly epoch: number;
  readonly upTo: number;
}

const entryCountMax = 20_000;

/**
 * Cache of searches without matches, so that repeated searches scan later messages only. Entries hold on all nodes: deleting
 * messages does not invalidate them, and emptying or recreating a server changes its epoch. Searches for a tag are not
 * cached: a stored message can get one on any node.
 */
export class NoMatches {
  /** Least recently used first. */
  readonly #upTo = new Map<string, NoMatch>();

  recall(server: ServerId, criteria: FoldedCriteria, page: Page): NoMatch | undefined {
    if (criteria.tag !== undefined) return undefined;
    return this.#upTo.get(cacheKeyOf(server, criteria, page));
  }

  /** Remembers a search over all pages and all changes that found nothing. */
  remember(
    { server, criteria, page }: { readonly server: ServerId; readonly criteria: FoldedCriteria; readonly page: Page },
    noMatch: NoMatch,
  ): void {
    if (criteria.tag !== undefined) return;
    const name = cacheKeyOf(server, criteria, page);
    this.#upTo.delete(name);
    this.#upTo.set(name, noMatch);
    if (this.#upTo.size <= entryCountMax) return;
    for (const oldest of this.#upTo.keys()) {
      this.#upTo.delete(oldest);
      break;
    }
  }
}

/** Returns a cache key: equal for searches that the same messages match. */
function cacheKeyOf(server: ServerId, criteria: FoldedCriteria, page: Page): string {
  return JSON.stringify([server, page.direction, page.receivedAfter, page.before ?? 0, criteriaKey(criteria)]);
}
