import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSecretBox } from "../../operations/services/security/secret-box.ts";
import { directoryWithDatabase } from "../../store/sqlite/new-database.test-aid.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import { sameThread } from "../../store/sqlite/threads/same-thread.test-aid.ts";
import type { Store } from "../../store/store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { openSharedAcme, type SharedAcme } from "./shared-acme.ts";

let directory: string;
let store: Store;
let clock: FakeClock;
const boxOf = (key: string) => createSecretBox(Buffer.from(key));
const node = (key = "a key of all the nodes", providerObjects = store.providerObjects): SharedAcme =>
  openSharedAcme({ store: { providerObjects }, secrets: boxOf(key), clock });

beforeEach(async () => {
  directory = directoryWithDatabase("restante-shared-acme-");
  store = await openSqliteStore({ directory, durable: false, threads: sameThread });
  clock = new FakeClock();
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

describe("texts of nodes", () => {
  test("are read by every node with the same secret key, until they expire", async () => {
    await node().write("account", "the key", clock.now() + 1000);
    expect(await node().read("account")).toBe("the key");
    expect(await node().read("other")).toBeUndefined();
    expect(await node("a key of another cluster").read("account")).toBeUndefined();
    clock.advance(1000);
    expect(await node().read("account")).toBeUndefined();
  });

  test("are sealed for their id, and leave no export", async () => {
    const shared = node();
    await shared.write("account", "-----BEGIN PRIVATE KEY-----", clock.now() + 1000);
    const key = { provider: "restante", server: null, kind: "acme", id: "account" };
    const stored = await store.providerObjects.getObject(key, clock.now());
    expect(stored?.json).not.toContain("BEGIN");
    await store.providerObjects.putObject({
      ...key,
      id: "certificate",
      json: stored?.json ?? "",
      version: 0,
      expiresAt: clock.now() + 1000,
      now: clock.now(),
      countMax: 10,
    });
    expect(await shared.read("certificate")).toBeUndefined();
    expect(await store.providerObjects.walkObjects(null, 10)).toEqual([]);
  });
});

describe("open challenges", () => {
  test("are answered by every node until they are decided, or their node has died", async () => {
    const [one, other] = [node().answers, node().answers];
    await one.set("token", "token.thumbprint");
    await one.set("mx.corp.example", "token2.thumbprint");
    expect(await other.get("token")).toBe("token.thumbprint");
    expect(await other.get("mx.corp.example")).toBe("token2.thumbprint");
    expect(await other.get("\0")).toBeUndefined();
    const { look, seen } = node();
    await look();
    expect([...seen.keys()].toSorted()).toEqual(["mx.corp.example", "token"]);
    await one.delete("token");
    await look();
    expect([...seen.keys()]).toEqual(["mx.corp.example"]);
    expect(await other.get("token")).toBeUndefined();
    clock.advance(10 * 60_000);
    expect(await other.get("mx.corp.example")).toBeUndefined();
  });

  test("are read once for requests that come during a read, by a read that begins after them", async () => {
    const reads: (() => void)[] = [];
    const { answers } = node("a key of all the nodes", {
      ...store.providerObjects,
      listObjects: async (...given) => {
        await new Promise<void>((resolve) => void reads.push(resolve));
        return store.providerObjects.listObjects(...given);
      },
    });
    const first = answers.get("token");
    await Promise.resolve();
    const further = Array.from({ length: 100 }, async () => answers.get("token"));
    await answers.set("token", "token.thumbprint");
    expect(reads).toHaveLength(1);
    reads[0]?.();
    await first;
    for (let turn = 0; reads.length < 2 && turn < 100; turn += 1) await new Promise(setImmediate);
    reads[1]?.();
    expect(new Set(await Promise.all(further))).toEqual(new Set(["token.thumbprint"]));
    expect(reads).toHaveLength(2);
  });

  test("are read again after a failure", async () => {
    let isAway = true;
    const { answers } = node("a key of all the nodes", {
      ...store.providerObjects,
      listObjects: async (...given) => {
        if (isAway) throw new Error("the database is away");
        return store.providerObjects.listObjects(...given);
      },
    });
    await expect(answers.get("token")).rejects.toThrow("away");
    isAway = false;
    expect(await answers.get("token")).toBeUndefined();
  });
});
