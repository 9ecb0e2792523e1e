/** Export and import preserve everything that a store returns. */
import type { Context } from "../../src/operations/context.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ServerId } from "../../src/core/ids.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { listSavedSearches, putSavedSearch } from "../../src/operations/searches/saved-searches.ts";
import { findTagging, getTagging, putTagging } from "../../src/operations/tags/tagging.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { openS3 } from "../../src/store/postgres/content/blobs-s3.ts";
import { S3Server } from "../../src/store/postgres/content/s3-server.test-aid.ts";
import type { Store } from "../../src/store/store.ts";
import { openSqliteSource } from "../../src/store/sqlite/backup/source.ts";
import { aLargeMail, contents, epochMs, fill, tellAll } from "./content.ts";
import { anSqliteStore, aPostgresStore, comparable, exported, imported } from "./stores.ts";

const uidValidities = async ({ store }: { readonly store: Store }): Promise<readonly number[]> =>
  (await store.listServers()).map(({ uidValidity }) => uidValidity);

test("moves any content from SQLite to PostgreSQL and back with all ids, bytes, lists, searches and settings", async () => {
  const property = fc.asyncProperty(contents, async (content) => {
    await using first = await anSqliteStore();
    await using second = await aPostgresStore();
    await using third = await anSqliteStore();
    await fill(first.store, content);
    const told = await tellAll(first.store);
    const bytes = await exported(first.store);
    const messages = Math.max(0, content.messages.length - 1);
    expect(await imported(second.store, bytes)).toMatchObject({ servers: 3, messages, existing: 0 });
    expect(await tellAll(second.store)).toEqual(told);
    const back = await exported(second.store);
    expect(comparable(back)).toEqual(comparable(bytes));
    await imported(third.store, back);
    expect(await tellAll(third.store)).toEqual(told);
    // A second import changes nothing and reports that everything exists.
    expect(await imported(third.store, bytes, { chunkBytes: 1000 })).toMatchObject({ messages: 0, existing: messages });
    expect(await tellAll(third.store)).toEqual(told);
    // Messages have new UIDs after each import.
    const [former, between, last] = await Promise.all([first, second, third].map(uidValidities));
    for (const [at, value] of (former ?? []).entries()) {
      expect(between?.[at]).toBeGreaterThan(value);
      expect(last?.[at]).toBeGreaterThan(between?.[at] ?? 0);
    }
  });
  await fc.assert(property, { numRuns: 5 });
});

test("exports content from a bucket, and imports it into the bucket of the target", async () => {
  await using bucket = await S3Server.start();
  await using first = await aPostgresStore(openS3(bucket.url, { retryCount: 0 }));
  await using second = await anSqliteStore();
  await using third = await aPostgresStore(openS3(bucket.url, { retryCount: 0 }));
  const [content] = fc.sample(contents, { numRuns: 1, seed: 7 });
  if (content === undefined) throw new Error("no content");
  await fill(first.store, content);
  await first.store.addMessages([aLargeMail(content.servers[0]?.id as ServerId)]);
  expect(await bucket.objectCount()).toBe(1);
  const told = await tellAll(first.store);
  const bytes = await exported(first.store);
  await imported(second.store, bytes);
  expect(await tellAll(second.store)).toEqual(told);
  const back = await exported(second.store);
  expect(comparable(back)).toEqual(comparable(bytes));
  await imported(third.store, back);
  expect(await bucket.objectCount()).toBe(2);
  expect(await tellAll(third.store)).toEqual(told);
});

test("keeps saved searches and tag rules, which apply in the target", async () => {
  await using first = await anSqliteStore();
  await using second = await aPostgresStore();
  await using third = await anSqliteStore();
  const clock = new FakeClock();
  const contextOf = (store: Store): Context => ({ store, clock, limits: defaultLimits }) as unknown as Context;
  const principal = { keyId: "k", server: null };
  const server = "abcd1234" as ServerId;
  await first.store.createServer({ id: server, name: "Mail", password: "p", createdAt: epochMs, expiresAt: null });
  const search = { name: "Late ones", q: "from:shop -is:read" };
  const tagging = { plusAddresses: true, rules: [{ q: "subject:invoice", tags: ["paid"] }] };
  await putSavedSearch(contextOf(first.store), principal, { server, ...search });
  await putTagging(contextOf(first.store), principal, { server, tagging });
  await imported(second.store, await exported(first.store));
  await imported(third.store, await exported(second.store, [server]));
  for (const { store } of [second, third]) {
    expect(await listSavedSearches(contextOf(store), principal, server)).toEqual([search]);
    expect(await getTagging(contextOf(store), principal, server)).toEqual(tagging);
    expect(await findTagging(contextOf(store), server)).not.toBeNull();
  }
});

test("exports the same from the folder of a running service as from its store", async () => {
  const [content] = fc.sample(contents, { numRuns: 1, seed: 7 });
  if (content === undefined) throw new Error("no content");
  await using first = await anSqliteStore();
  await fill(first.store, content);
  const source = openSqliteSource(first.directory);
  expect((await exported(source)).equals(await exported(first.store))).toBe(true);
  await source.close();
  await expect(source.listServers()).rejects.toMatchObject({ code: "unavailable" });
});
