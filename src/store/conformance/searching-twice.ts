import type { SearchExpression } from "../../core/search/search-expression.ts";
import { setTimeout } from "node:timers/promises";
import type { Page } from "../../core/criteria.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Store, SummaryPage } from "../store.ts";

/** Search and its result. */
export interface Searched {
  readonly server: ServerId;
  readonly expression: SearchExpression;
  readonly page: Page;
  readonly answer: SummaryPage;
}

/** Options of {@link searchingTwice}. */
export interface SearchingTwice {
  /** Returns whether the index has caught up. */
  readonly hasCaughtUp: () => boolean | Promise<boolean>;
  /** Repeats the search and compares the results, which must not depend on the index. */
  readonly checkAgain: (searched: Searched) => void | Promise<void>;
  /** Called before the store closes. */
  readonly onClose?: () => void;
}

/** Pauses of one search between checks whether the index has caught up, in milliseconds. */
const pausesMs = [2, 4, 8, 16, 32];
/** Pauses of all searches after a change: where the index does not catch up, further searches do not wait. */
const waitMsMax = 300;

/** Returns a store that repeats each search when the index has probably caught up. */
export function searchingTwice(store: Store, options: SearchingTwice): Store {
  const { hasCaughtUp, checkAgain, onClose = () => undefined } = options;
  let callCount = 0;
  let waitedMs = 0;
  /** Whether the index had caught up after the last call that is not a search. */
  let isCurrent = false;
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      // The outbox and its like are stores of their own.
      if (typeof member !== "function") {
        isCurrent = false;
        return member;
      }
      if (name !== "searchMessages") {
        return async (...parameters: unknown[]) => {
          callCount += 1;
          waitedMs = 0;
          isCurrent = false;
          if (name === "close") onClose();
          const method = Reflect.get(target, name) as (...given: readonly unknown[]) => Promise<unknown>;
          return await method.apply(target, parameters).finally(() => {
            callCount -= 1;
          });
        };
      }
      return async (server: ServerId, expression: SearchExpression, page: Page) => {
        const answer = await target.searchMessages(server, expression, page);
        // Where much happens at once, the test is about that.
        if (callCount > 0) return answer;
        for (const pauseMs of pausesMs) {
          isCurrent ||= await hasCaughtUp();
          if (isCurrent || waitedMs >= waitMsMax) break;
          await setTimeout(pauseMs);
          waitedMs += pauseMs;
        }
        await checkAgain({ server, expression, page, answer });
        return answer;
      };
    },
  });
}
