import { expect, test } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { draft, epochMs, page } from "../../conformance/drafts.ts";
import { folded, idsOf, makeServer } from "../../conformance/setup.ts";
import { openDatabase } from "../connection/database.ts";
import { migrateDatabase } from "../open.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";
import { eagerIndex } from "./text-index.test-aid.ts";

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
