import { randomBytes } from "node:crypto";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft } from "../../conformance/drafts.ts";
import { openSqliteStore } from "../open.ts";
import { sameThread } from "../threads/same-thread.test-aid.ts";
import type { Store } from "../../store.ts";
import { backupFolder } from "./backup.ts";
import { namedCountMax, type ServerComparison } from "../../server-comparison.ts";
import { compareCopies } from "./compare.ts";
import { restoreFolder } from "./restore.ts";

let source: string;
let restored: string;
let backup: string;
let server: ServerId;
let ids: readonly MessageId[];

const change = async (body: (store: Store) => Promise<unknown>): Promise<void> => {
  const store = await openSqliteStore({ directory: source, durable: false, threads: sameThread });
  await body(store);
  await store.close();
};

beforeEach(async () => {
  const directory = await aDirectory();
  [source, restored, backup] = ["source", "restored", "backup"].map((name) => path.join(directory, name)) as [
    string,
    string,
    string,
  ];
  await change(async (store) => {
    ({ id: server } = await store.createServer(aServer()));
    const large = draft(server, { raw: randomBytes(3_000_000) });
    const messages = [...Array.from({ length: 30 }, () => draft(server, { body: "text" })), large];
    await store.addMessages(messages);
    ids = messages.map(({ id }) => id);
  });
  backupFolder(source, backup, []);
  restoreFolder(backup, restored, { names: [], now: 0 });
});

const compare = (sampleCount = 10): readonly ServerComparison[] =>
  compareCopies({ source, restored, backup, sampleCount });

/** Changes the restored database behind the back of the store. */
const damage = (sql: string): void => {
  using database = new DatabaseSync(path.join(restored, "restante.db"));
  database.exec(sql);
};

const equal = {
  state: "compared",
  restoredCount: 31,
  arrivedCount: 0,
  changedCount: 0,
  removedCount: 0,
  missingCount: 0,
  differingCount: 0,
  sampledCount: 10,
  sampleDifferingCount: 0,
  named: [],
};

test("finds no difference in a restored copy, and counts what the source has changed since", async () => {
  expect(compare()).toEqual([{ ...equal, server, sourceCount: 31 }]);
  await change(async (store) => {
    await store.addMessages([draft(server), draft(server)]);
    await store.deleteMessage(ids[0] as MessageId);
  });
  expect(compare()).toEqual([{ ...equal, server, sourceCount: 32, arrivedCount: 2, removedCount: 1 }]);
  await change(async (store) => store.emptyServer(server));
  expect(compare()).toEqual([{ ...equal, server, sourceCount: 0, removedCount: 31, sampledCount: 0 }]);
});

test("names servers that only one side has, and compares none that was created again", async () => {
  await change(async (store) => {
    await store.deleteServer(server);
    await store.createServer(aServer());
  });
  expect(
    compare()
      .map(({ state }) => state)
      .toSorted(),
  ).toEqual(["new", "removed"]);
  await change(async (store) => store.createServer({ ...aServer(), id: server }));
  expect(
    compare()
      .map(({ state }) => state)
      .toSorted(),
  ).toEqual(["new", "other"]);
});

describe("a damaged copy", () => {
  test("has missing messages, and messages with other summaries, of which a bounded number is named", () => {
    damage("delete from message where sequence <= 25; update message set summary = x'00' where sequence = 26");
    const [found] = compare();
    expect(found).toMatchObject({ missingCount: 25, differingCount: 1 });
    expect(found?.named).toHaveLength(namedCountMax);
  });

  test.each([
    ["the raw mail of one", "update content set raw = x'00', detail = detail where number = 30", 1],
    ["a chunk of a large mail", "update raw_chunk set bytes = zeroblob(9) where number = 31 * 65536 + 2", 1],
    ["a message that is older than the sample", "update content set detail = x'00' where number = 1", 0],
  ])("has other content in the sample: %s", (_what, sql, sampleDifferingCount) => {
    damage(sql);
    expect(compare()).toMatchObject([{ missingCount: 0, differingCount: 0, sampledCount: 10, sampleDifferingCount }]);
  });
});
