import { expect, test, afterEach, beforeEach, describe } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { draft, epochMs, page } from "../../conformance/drafts.ts";
import { folded, idsOf, makeServer } from "../../conformance/setup.ts";
import { openDatabase } from "../connection/database.ts";
import { migrateDatabase } from "../open.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";
import { eagerIndex, TestTextIndex } from "./text-index.test-aid.ts";
import type { NewMessage } from "../../store.ts";

test("indexes subjects and bodies as a role that may not create extensions", async () => {
  const url = await testDatabaseUrl();
  const owner = openDatabase(url);
  const plain = new URL(url);
  plain.username = `plain_${plain.pathname.slice(1)}`;
  await owner.query(`create role ${plain.username} login`);
  await owner.query(`grant create, usage on schema public to ${plain.username}`);
  try {
    await migrateDatabase({ url: plain.href });
    const database = openDatabase(plain.href);
    const own = { clock: systemClock, isDistributed: false, largeContent: null, textIndex: { settings: eagerIndex } };
    const store = createPostgresStore({ database, ...own });
    const server = await makeServer(store);
    const all = Array.from({ length: 100 }, (_, n) =>
      draft(server, { at: epochMs + n, subject: `Größe ${n}.`, body: "漢字" }),
    );
    await store.addMessages(all);
    // The indexer of the store does it.
    await expect.poll(async () => (await store.statistics()).indexBacklogCount).toBe(0);
    const find = async (subject: string) => idsOf(await store.searchMessages(server, folded({ subject }), page()));
    expect([await find("größe 3."), await find("größe 101")]).toEqual([[all[3]?.id], []]);
    await store.close();
  } finally {
    await owner.query(`drop owned by ${plain.username}`);
    await owner.query(`drop role ${plain.username}`);
    await owner.close();
    await dropDatabase(url);
  }
});

let index: TestTextIndex;
beforeEach(async () => {
  index = await TestTextIndex.open();
});
afterEach(async () => {
  await index[Symbol.asyncDispose]();
});

describe("filters of subjects", () => {
  const subjects = async (count: number): Promise<readonly NewMessage[]> => {
    const all = Array.from({ length: count }, (_, n) =>
      draft(index.server, { at: epochMs + n, subject: `Order ${n * 7919}`, body: `Mail ${n}.` }),
    );
    await index.add(all);
    await index.index();
    return all;
  };
  const bitCount = (): number =>
    index.database.statements
      .filter(({ sql }) => sql.includes("get_bit"))
      // Arrays begin with 20 bytes; each number takes 12.
      .reduce((sum, { parameters }) => sum + ((parameters[2] as Buffer).length - 20) / 12, 0);

  test("are merged for sixteen segments, so that absent subjects are excluded by few reads", async () => {
    const all = await subjects(16 * 16 * 3);
    expect([await index.segmentCount(), await index.mergedFilterCount()]).toEqual([48, 3]);
    index.database.statements.length = 0;
    expect(await index.find({ subject: "nowhere" })).toEqual([]);
    expect(bitCount()).toBeLessThan(12);
    expect(await index.find({ subject: `order ${500 * 7919}` })).toEqual([all[500]?.id]);
    expect(await index.find({ subject: "order 39595" })).toEqual(
      all
        .filter(({ keys }) => keys.subject.includes("order 39595"))
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(await index.find({ body: "mail 500." })).toEqual([all[500]?.id]);
  });

  test("are deleted with the last segment that they are merged from", async () => {
    await subjects(16 * 16);
    expect(await index.mergedFilterCount()).toBe(1);
    await index.store.expireMessages(index.server, { receivedBefore: null, keepNewest: 20 });
    await index.index();
    expect(await index.mergedFilterCount()).toBe(1);
    expect(await index.find({ subject: `order ${250 * 7919}` })).toHaveLength(1);
    await index.store.expireMessages(index.server, { receivedBefore: null, keepNewest: 1 });
    await index.store.emptyServer(index.server);
    await expect.poll(() => index.pageCount()).toBe(0);
    expect(await index.mergedFilterCount()).toBe(0);
  });
});
