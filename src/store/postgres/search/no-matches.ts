import { criteriaKey, type Page } from "../../../core/criteria.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { FoldedCriteria } from "../../store.ts";

/** Up to which number of its sequence a server holds no match, as long as it has an epoch. */
export interface NoMatch {
  readonly epoch: number;
  readonly upTo: number;
}

const questionCountMax = 20_000;

/**
 * What was asked and not found, so that who asks again and again only has later messages looked at. Holds for all nodes:
 * deleting cannot make it untrue, emptying and making anew give the server another epoch.
 */
export class NoMatches {
  /** In the order of use, longest ago first. */
  readonly #upTo = new Map<string, NoMatch>();

  recall(server: ServerId, criteria: FoldedCriteria, page: Page): NoMatch | undefined {
    return this.#upTo.get(nameOf(server, criteria, page));
  }

  /** To be called with what a search of all pages and of every number found: nothing. */
  remember(
    { server, criteria, page }: { readonly server: ServerId; readonly criteria: FoldedCriteria; readonly page: Page },
    noMatch: NoMatch,
  ): void {
    const name = nameOf(server, criteria, page);
    this.#upTo.delete(name);
    this.#upTo.set(name, noMatch);
    if (this.#upTo.size <= questionCountMax) return;
    for (const oldest of this.#upTo.keys()) {
      this.#upTo.delete(oldest);
      break;
    }
  }
}

/** Equal for questions that the same messages match. */
function nameOf(server: ServerId, criteria: FoldedCriteria, page: Page): string {
  return JSON.stringify([server, page.direction, page.receivedAfter, page.before ?? 0, criteriaKey(criteria)]);
}
