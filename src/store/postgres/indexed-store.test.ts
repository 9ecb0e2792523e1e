/** The contract once more, with bodies of every server indexed and searched two messages at a time. */
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { systemClock } from "../../core/clock.ts";
import type { Page } from "../../core/criteria.ts";
import type { ServerId } from "../../core/ids.ts";
import { describeStore } from "../conformance/describe-store.ts";
import type { FoldedCriteria, Store } from "../store.ts";
import { openDatabase } from "./database.ts";
import { prepareDatabase } from "./open.ts";
import { Pages } from "./pages.ts";
import { PostgresStore } from "./postgres-store.ts";
import { dropDatabase, testDatabaseUrl } from "./postgres.test-aid.ts";

const textIndex = {
  alphabet: "ascii",
  settings: { serverMessageCountMin: 0, newMessageCountMin: 1 },
  sliceMessageCount: 2,
} as const;

describeStore("indexed PostgreSQL", async () => {
  const url = await testDatabaseUrl();
  await prepareDatabase({ url, searchIndex: "auto" });
  const asking = openDatabase(url, { connectionCountMax: 2 });
  const later = () => new Pages(asking, { sliceMessageCount: textIndex.sliceMessageCount, index: textIndex });
  const open = () => {
    const database = openDatabase(url);
    current = new PostgresStore({
      database,
      clock: systemClock,
      isDistributed: false,
      largeContent: null,
      textIndex,
    });
    return searchingTwice(current, later);
  };
  let current: Store;
  return {
    store: open(),
    reopen: async () => {
      await current.close();
      return open();
    },
    dispose: async () => {
      await current.close();
      await asking.close();
      await dropDatabase(url);
    },
  };
});

/** So often, a few milliseconds apart, a search waits for the index; it must find the same whether the index came or not. */
const askCountMax = 10;

/** A store whose searches are done once more when the index has probably caught up; both must find the same. */
function searchingTwice(store: Store, later: () => Pages): Store {
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
        for (let asked = 0; asked < askCountMax; asked += 1) {
          if ((await target.statistics()).indexBacklogCount === 0) break;
          await setTimeout(5);
        }
        const again = await later().search(server, criteria, page);
        if (again.cursor === answer.cursor) expect(again).toEqual(answer);
        return answer;
      };
    },
  });
}
