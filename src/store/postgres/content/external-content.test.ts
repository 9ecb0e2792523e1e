import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerId } from "../../../core/ids.ts";
import { draft } from "../../conformance/drafts.ts";
import { makeServer } from "../../conformance/setup.ts";
import type { Store } from "../../store.ts";
import { openS3 } from "./blobs-s3.ts";
import { openDatabase, type Database } from "../connection/database.ts";
import { openPostgresStore } from "../open.ts";
import { migratedDatabaseUrl } from "../postgres.test-aid.ts";
import { S3Server } from "./s3-server.test-aid.ts";

let bucket: S3Server;
let url: string;
let database: Database;
let store: Store;
let server: ServerId;
beforeAll(async () => {
  [bucket, url] = await Promise.all([S3Server.start(), migratedDatabaseUrl()]);
  store = await openPostgresStore({ url, largeContent: openS3(bucket.url, { retryCount: 0 }) });
  database = openDatabase(url);
  server = await makeServer(store);
});
afterAll(async () => {
  await store.close();
  await database.close();
  await bucket[Symbol.asyncDispose]();
});

/** Returns an incompressible raw mail. */
const largeRaw = (): string => randomBytes(300_000).toString("base64");
const pendingRemovalCount = async (): Promise<number> => {
  const rows = await database.query("select 1 from outside_gone");
  return rows.length;
};
async function eventually(read: () => Promise<number>, expected: number): Promise<void> {
  await expect.poll(read).toBe(expected);
}

describe("content in S3", () => {
  test("is stored for large messages only, returned unchanged, and deleted with its message", async () => {
    const raw = largeRaw();
    const [large, small] = [draft(server, { raw }), draft(server, { raw: "small" })];
    const stored = await store.addMessages([large, small]);
    expect(stored.map(({ outcome }) => outcome)).toEqual(["stored", "stored"]);
    expect(await bucket.objectCount()).toBe(1);
    expect(await database.query("select 1 from chunk")).toEqual([]);
    expect(Buffer.from((await store.getRaw(large.id)) ?? []).toString()).toBe(raw);
    expect(Buffer.from((await store.getRaw(small.id)) ?? []).toString()).toBe("small");
    await store.deleteMessage(large.id);
    expect(await store.getRaw(large.id)).toBeUndefined();
    await eventually(() => bucket.objectCount(), 0);
    await eventually(pendingRemovalCount, 0);
  });

  test("is deleted when a server is emptied, and when its messages expire", async () => {
    await store.addMessages([draft(server, { raw: largeRaw() }), draft(server, { raw: largeRaw() })]);
    await store.emptyServer(server);
    await eventually(() => bucket.objectCount(), 0);
    await store.addMessages([draft(server, { raw: largeRaw() })]);
    expect(await store.expireMessages(server, { receivedBefore: null, keepNewest: 0 })).toBe(1);
    await store.emptyServer(server);
    await eventually(() => bucket.objectCount(), 0);
  });

  test("is not kept twice when the same message is stored again", async () => {
    const message = draft(server, { raw: largeRaw() });
    const [first] = await store.addMessages([message]);
    expect(await store.addMessages([message])).toEqual([first]);
    await database.query("update outside_gone set due_at = now()");
    await store.deleteMessage(draft(server, {}).id);
    await store.emptyServer(server);
    await eventually(() => bucket.objectCount(), 0);
  });

  test("is recorded for removal when its message is not stored", async () => {
    const deleted = await makeServer(store);
    await store.deleteServer(deleted);
    expect(await store.addMessages([draft(deleted, { raw: largeRaw() })])).toEqual([{ outcome: "no_server" }]);
    expect([await bucket.objectCount(), await pendingRemovalCount()]).toEqual([1, 1]);
    await database.query("update outside_gone set due_at = now()");
    await store.emptyServer(server);
    await eventually(() => bucket.objectCount(), 0);
  });

  test("makes an insert reject with unavailable when it is removed before the commit", async () => {
    const s3 = openS3(bucket.url, { retryCount: 0 });
    const racing = await openPostgresStore({
      url,
      largeContent: {
        ...s3,
        put: async (key, bytes) => {
          await s3.put(key, bytes);
          await database.query("delete from outside_gone");
          await s3.remove([key]);
        },
      },
    });
    const message = draft(server, { raw: largeRaw() });
    await expect(racing.addMessages([message])).rejects.toMatchObject({ code: "unavailable" });
    expect(await store.getDetail(message.id)).toBeUndefined();
    await racing.close();
  });

  test("is unavailable while the bucket is down, and no message is stored partially", async () => {
    const [kept, rejected] = [draft(server, { raw: largeRaw() }), draft(server, { raw: largeRaw() })];
    await store.addMessages([kept]);
    await bucket.kill();
    await expect(store.getRaw(kept.id)).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.addMessages([rejected])).rejects.toMatchObject({ code: "unavailable" });
    expect(await store.getDetail(rejected.id)).toBeUndefined();
    await store.deleteMessage(kept.id);
    await bucket.restart();
    await eventually(async () => {
      await store.emptyServer(server);
      return bucket.objectCount();
    }, 0);
  });

  test("is unavailable on a node without RESTANTE_BLOB_URL, and the error names the setting", async () => {
    const message = draft(server, { raw: largeRaw() });
    await store.addMessages([message]);
    const unconfigured = await openPostgresStore({ url });
    await expect(unconfigured.getRaw(message.id)).rejects.toMatchObject({
      code: "unavailable",
      cause: { message: expect.stringContaining("RESTANTE_BLOB_URL") as unknown },
    });
    await unconfigured.close();
  });
});
