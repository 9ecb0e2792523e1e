import { setTimeout } from "node:timers/promises";
import type { Page } from "../../core/criteria.ts";
import type { ServerId } from "../../core/ids.ts";
import type { FoldedCriteria, Store, SummaryPage } from "../store.ts";

/** A search and what it answered. */
export interface Searched {
  readonly server: ServerId;
  readonly criteria: FoldedCriteria;
  readonly page: Page;
  readonly answer: SummaryPage;
}

/** How searches are done once more. */
export interface SearchingTwice {
  /** How long a search waits between two looks whether the index came, and how often it looks. */
  readonly pauseMs: number;
  readonly lookCountMax: number;
  /** Searches anew and compares; the index may have come or not, both must find the same. */
  readonly checkAgain: (searched: Searched) => void | Promise<void>;
}

/** A store whose searches are done once more when the index has probably caught up. */
export function searchingTwice(store: Store, { pauseMs, lookCountMax, checkAgain }: SearchingTwice): Store {
  let callCount = 0;
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      // The outbox and its like are stores of their own.
      if (typeof member !== "function") return member;
      if (name !== "searchMessages") {
        return async (...parameters: unknown[]) => {
          callCount += 1;
          const method = Reflect.get(target, name) as (...given: readonly unknown[]) => Promise<unknown>;
          return await method.apply(target, parameters).finally(() => {
            callCount -= 1;
          });
        };
      }
      return async (server: ServerId, criteria: FoldedCriteria, page: Page) => {
        const answer = await target.searchMessages(server, criteria, page);
        // Where much happens at once, the test is about that.
        if (callCount > 0) return answer;
        for (let looked = 0; looked < lookCountMax; looked += 1) {
          if ((await target.statistics()).indexBacklogCount === 0) break;
          await setTimeout(pauseMs);
        }
        await checkAgain({ server, criteria, page, answer });
        return answer;
      };
    },
  });
}
