import { stat } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { ServerId } from "../../../core/ids.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { idsOf } from "../../conformance/setup.ts";
import type { Annotation } from "../../mark-store.ts";
import type { Store } from "../../store.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { readNumber } from "../connection/connection.ts";
import { openSqliteStore } from "../open.ts";
import { Purge } from "./purge.ts";
import { SegmentWrites } from "../text-index/segment-writes.ts";

const contentTables = ["message", "content", "subject", "address", "annotation", "purge"];

const annotation: Annotation = { kind: "scan", json: "[]" };

async function fill(store: Store, server: ServerId, count: number): Promise<void> {
  const raw = Uint8Array.from({ length: 6000 }, (_, n) => (n * n * 31) >> 3);
  for (let start = 0; start < count; start += 100) {
    const to = ["a@x.test", `u${start}@x.test`];
    await store.addMessages(
      Array.from({ length: 100 }, () => ({
        ...draft(server, { raw, to, from: ["f@x.test"], body: "text" }),
        annotations: [annotation],
      })),
    );
  }
}

/** Returns the number of rows that no reader can reach. */
function queueLength(file: string): number {
  using database = new DatabaseSync(file, { readOnly: true });
  return readNumber(database, "select count(*) from purge");
}

test("shrinks the file and removes everything emptied or deleted from it", async () => {
  const directory = await aDirectory();
  const file = path.join(directory, databaseFileName);
  const store = await openSqliteStore({ directory, durable: false });
  const [emptied, deleted] = [(await store.createServer(aServer())).id, (await store.createServer(aServer())).id];
  await fill(store, emptied, 3000);
  await fill(store, deleted, 500);
  const { sizeBytes } = await store.statistics();
  expect(sizeBytes).toBeGreaterThan(10_000_000);
  await store.emptyServer(emptied);
  await store.deleteServer(deleted);
  await expect.poll(async () => (await store.statistics()).purgeBacklogCount).toBe(0);
  await expect.poll(() => queueLength(file)).toBe(0);
  await expect.poll(async () => (await stat(file)).size).toBeLessThan(5_000_000);
  await store.close();

  using database = new DatabaseSync(file);
  for (const table of contentTables) expect(readNumber(database, `select count(*) from ${table}`)).toBe(0);
  expect(readNumber(database, "select count(distinct server) from change")).toBe(1);
  expect(database.prepare("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
});

test("removes all rows of a deleted message and no others", async () => {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: false });
  const { id: server } = await store.createServer(aServer());
  const annotations = [annotation];
  const [retained, deleted] = [
    { ...draft(server, { to: ["t@x.test"] }), annotations },
    { ...draft(server, { to: ["t@x.test"], from: ["f@x.test"] }), annotations },
  ];
  await store.addMessages([retained, deleted]);
  await store.deleteMessage(deleted.id);
  await store.close();
  using database = new DatabaseSync(path.join(directory, databaseFileName));
  for (const table of ["message", "content", "subject", "address", "annotation"]) {
    expect(readNumber(database, `select count(*) from ${table}`)).toBe(1);
  }
});

test("stores and reads messages during a purge, which a restart resumes", async () => {
  const directory = await aDirectory();
  const first = await openSqliteStore({ directory, durable: false });
  const { id: server } = await first.createServer(aServer());
  let fresh = draft(server);
  do {
    await fill(first, server, 3000);
    await first.emptyServer(server);
    fresh = draft(server, { to: ["a@x.test"] });
    await first.addMessages([fresh]);
    // On a busy machine, the purge may end before this thread runs again.
  } while ((await first.statistics()).purgeBacklogCount === 0);
  expect(idsOf(await first.listMessages(server, page()))).toEqual([fresh.id]);
  await first.close();

  const second = await openSqliteStore({ directory, durable: false });
  await expect.poll(async () => (await second.statistics()).purgeBacklogCount).toBe(0);
  expect(idsOf(await second.searchMessages(server, { kind: "key", role: "to", key: "a@x.test" }, page()))).toEqual([
    fresh.id,
  ]);
  await second.close();
});

test("bounds each step, however much time it is given", async () => {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: false });
  const { id: server } = await store.createServer(aServer());
  await fill(store, server, 2000);
  await store.close();
  using database = new DatabaseSync(path.join(directory, databaseFileName));
  database.exec("insert into purge (epoch, server, message_count) select epoch, null, 2000 from server");
  const purge = new Purge(database, new SegmentWrites(database));
  database.exec("begin");
  expect(purge.isPending).toBe(true);
  let left = 2000;
  for (;;) {
    if (!purge.step(1e9)) break;
    const now = readNumber(database, "select count(*) from message");
    expect(left - now).toBeLessThanOrEqual(500);
    left = now;
  }
  expect(left).toBe(0);
  expect(purge.isPending).toBe(false);
});
