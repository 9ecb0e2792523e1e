/** The contract once more, with an index of the smallest segments over every server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { Page } from "../../core/criteria.ts";
import type { ServerId } from "../../core/ids.ts";
import { describeStore } from "../conformance/describe-store.ts";
import type { FoldedCriteria, Store, SummaryPage } from "../store.ts";
import { databaseFileName } from "./backup.ts";
import { connectReader, Statements } from "./connection.ts";
import type { IndexSettings } from "./index-work.ts";
import { openSqliteStore } from "./open.ts";
import { Reads } from "./reads.ts";
import { Search } from "./search.ts";

/** Everything is indexed, and merged soon. */
const eagerIndex: IndexSettings = {
  serverMessageCountMin: 0,
  newMessageCountMin: 1,
  segmentMessageCountMax: 6,
};

describeStore("indexed SQLite", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "restante-store-"));
  let current: Store;
  const open = async () => {
    current = await openSqliteStore({ directory, durable: false, index: eagerIndex });
    return searchingTwice(current, path.join(directory, databaseFileName));
  };
  const store = await open();
  return {
    store,
    reopen: async () => {
      await current.close();
      return await open();
    },
    dispose: async () => {
      await current.close();
      await rm(directory, { recursive: true });
    },
  };
});

/** So often, a millisecond apart, a search waits for the index; it must find the same whether the index came or not. */
const askCountMax = 20;

/** A store whose searches are done once more when the index has probably caught up; both must find the same. */
function searchingTwice(store: Store, file: string): Store {
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
          await setTimeout(1);
        }
        const later = searchAnew(file, server, { criteria, page });
        // Both may know how many there are, or one of them only.
        const total = later.total === null || answer.total === null ? later.total : answer.total;
        if (later.cursor === answer.cursor) expect(later).toEqual({ ...answer, total, json: Buffer.from(answer.json) });
        return answer;
      };
    },
  });
}

function searchAnew(
  file: string,
  server: ServerId,
  { criteria, page }: { criteria: FoldedCriteria; page: Page },
): SummaryPage {
  using database = connectReader(file);
  const reads = new Reads(database);
  const { servers, changes, segments } = reads;
  const sources = { statements: new Statements(database), servers, changes, segments, sliceMsMax: 5 };
  const search = new Search(sources, { server, criteria, page });
  for (;;) {
    const answer = reads.snapshot.read(() => search.step());
    if (answer !== undefined) return { ...answer, json: Buffer.from(answer.json) };
  }
}
