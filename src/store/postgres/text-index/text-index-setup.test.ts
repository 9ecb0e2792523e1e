import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../connection/database.ts";
import type { Database } from "../connection/database.ts";
import { migrateDatabase, openPostgresStore, prepareDatabase } from "../open.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";

let url = "";
let database: Database;
beforeEach(async () => {
  url = await testDatabaseUrl();
  database = openDatabase(url);
});
afterEach(async () => {
  await database.close();
  await dropDatabase(url);
});

const indexNames = async (): Promise<readonly string[]> => {
  const rows = await database.query<{ name: string }>(
    "select indexname::text as name from pg_indexes where tablename = 'indexed_text' order by 1",
  );
  return rows.map(({ name }) => name);
};

test("creates the trigram index once when several nodes start at the same time", async () => {
  const prepared = await Promise.all(Array.from({ length: 4 }, () => prepareDatabase({ url, searchIndex: "auto" })));
  expect(prepared.map(({ textIndex }) => textIndex?.isReady)).toEqual([true, true, true, true]);
  expect(await indexNames()).toEqual(["indexed_text_grams", "indexed_text_long", "indexed_text_pkey"]);
});

test("reports the alphabet that the locale of the database supports", async () => {
  const { textIndex } = await prepareDatabase({ url, searchIndex: "auto" });
  expect(textIndex).toEqual({ isReady: true, alphabet: "ascii" });
});

test("uses extensions that exist in another schema", async () => {
  await database.query("create schema elsewhere");
  await database.query("create extension pg_trgm schema elsewhere");
  expect((await prepareDatabase({ url, searchIndex: "auto" })).textIndex?.isReady).toBe(true);
});

test("creates and reports nothing when the index is off", async () => {
  const reported: string[] = [];
  const store = await openPostgresStore({ url, searchIndex: "off", onNoTextIndex: (reason) => reported.push(reason) });
  await store.close();
  expect([await indexNames(), reported]).toEqual([["indexed_text_long", "indexed_text_pkey"], []]);
  expect(await database.query("select 1 from pg_extension where extname = 'pg_trgm'")).toEqual([]);
});

test("opens without the index and reports the reason once when creating extensions is not permitted", async () => {
  const role = `plain_${new URL(url).pathname.slice(1)}`;
  await database.query(`create role ${role} login`);
  await database.query(`grant create, usage on schema public to ${role}`);
  const plain = new URL(url);
  plain.username = role;
  try {
    await migrateDatabase({ url: plain.href });
    const reported: string[] = [];
    const onNoTextIndex = (reason: string) => reported.push(reason);
    const store = await openPostgresStore({ url: plain.href, searchIndex: "auto", onNoTextIndex });
    await store.check();
    expect((await store.statistics()).indexBacklogCount).toBe(0);
    await store.close();
    expect(reported).toEqual([expect.stringContaining("permission denied to create extension")]);
  } finally {
    await database.query(`drop owned by ${role}`);
    await database.query(`drop role ${role}`);
  }
});
