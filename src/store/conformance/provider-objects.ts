import { expect, onTestFinished, test } from "vitest";
import { newServerId } from "../../core/ids.ts";
import type { ProviderObjectChange, StoredProviderObject } from "../provider-object-store.ts";
import { epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useStore, type OpenStore } from "./setup.ts";

let made = 0;

/** Returns a change of an object of the account, with a kind of its own for each test. */
function aChange(fields: Partial<ProviderObjectChange> = {}): ProviderObjectChange {
  made += 1;
  const key = { provider: "acme", server: null, kind: `kind${made}`, id: "one" };
  return { ...key, json: "{}", version: null, expiresAt: null, now: epochMs, countMax: 100, ...fields };
}

/** Objects of providers: versions, order, expiry, limits. */
export function describeProviderObjects(open: OpenStore): void {
  const store = useStore(open);
  const read = async (key: ProviderObjectChange, now = epochMs): Promise<StoredProviderObject | undefined> =>
    store().providerObjects.getObject(key, now);

  test("stores any text, and keeps the instant of creation", async () => {
    const json = JSON.stringify({ text: 'a\0\\ü"😀\ud800', list: [1, null] });
    const change = aChange({ id: "a\\b\0c ✓", json });
    expect(await store().providerObjects.putObject(change)).toBe(true);
    const { provider, server, kind, id } = change;
    const expected = { provider, server, kind, id, json, version: 1, createdAt: epochMs, expiresAt: null };
    expect(await read(change)).toEqual(expected);
    await store().providerObjects.putObject({ ...change, json: "2", now: epochMs + 5, expiresAt: epochMs + 9 });
    expect(await read(change)).toEqual({ ...expected, json: "2", version: 2, expiresAt: epochMs + 9 });
  });

  test("replaces exactly the expected version", async () => {
    const change = aChange();
    const put = async (version: number | null): Promise<boolean> =>
      store().providerObjects.putObject({ ...change, json: String(version), version });
    expect([await put(1), await put(0), await put(0), await put(2), await put(1)]).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(await read(change)).toMatchObject({ json: "1", version: 2 });
    expect(await put(null)).toBe(true);
    expect(await read(change)).toMatchObject({ json: "null", version: 3 });
  });

  test("lets exactly one of concurrent changes of a version win", async () => {
    const change = aChange();
    for (const version of [0, 1]) {
      const puts = Array.from({ length: 8 }, () => store().providerObjects.putObject({ ...change, version }));
      expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
    }
    const any = aChange();
    const puts = Array.from({ length: 8 }, () => store().providerObjects.putObject(any));
    expect(await Promise.all(puts)).toEqual(puts.map(() => true));
    expect(await read(any)).toMatchObject({ version: 8 });
  });

  test("lists a scope in pages, oldest first", async () => {
    const scope = aChange();
    for (const [id, at] of [
      ["c", 1],
      ["a", 2],
      ["b", 2],
    ] as const) {
      await store().providerObjects.putObject({ ...scope, id, now: epochMs + at });
    }
    await store().providerObjects.putObject({ ...scope, provider: "other" });
    await store().providerObjects.putObject({ ...scope, server: await makeServer(store()) });
    const list = async (offset: number, limit: number): Promise<readonly string[]> =>
      (await store().providerObjects.listObjects(scope, { offset, limit, now: epochMs })).map(({ id }) => id);
    expect([await list(0, 10), await list(1, 1), await list(3, 1)]).toEqual([["c", "a", "b"], ["a"], []]);
  });

  test("lists the first object of a scope that was empty, and none after its removal", async () => {
    const change = aChange();
    const list = async (): Promise<number> =>
      (await store().providerObjects.listObjects(change, { offset: 0, limit: 10, now: epochMs })).length;
    const counts = [await list(), await list()];
    // A list beside the put may still be empty.
    await Promise.all([store().providerObjects.putObject(change), list()]);
    counts.push(await list());
    await store().providerObjects.removeObject(change, epochMs);
    counts.push(await list());
    expect(counts).toEqual([0, 0, 1, 0]);
  });

  test("treats expired objects as absent, and removes them", async () => {
    const { store: own, dispose } = await open();
    onTestFinished(dispose);
    const change = aChange({ expiresAt: epochMs + 10 });
    await own.providerObjects.putObject(change);
    await own.providerObjects.putObject({ ...change, id: "stays", expiresAt: null });
    expect(await own.providerObjects.getObject(change, epochMs + 9)).toBeDefined();
    const now = epochMs + 10;
    expect(await own.providerObjects.getObject(change, now)).toBeUndefined();
    expect(await own.providerObjects.listObjects(change, { offset: 0, limit: 9, now })).toHaveLength(1);
    expect(await own.providerObjects.removeObject(change, now)).toBe(false);
    expect(await own.providerObjects.putObject({ ...change, now, expiresAt: epochMs + 20, version: 0 })).toBe(true);
    expect(await own.providerObjects.getObject(change, now)).toMatchObject({ version: 1, createdAt: now });
    expect(await own.providerObjects.removeExpiredObjects(epochMs + 19, 10)).toBe(0);
    expect(await own.providerObjects.removeExpiredObjects(epochMs + 20, 10)).toBe(1);
    expect(await own.providerObjects.walkObjects(null, 10)).toMatchObject([{ id: "stays" }]);
  });

  test("creates no object above the limit of its scope, but replaces", async () => {
    const change = aChange({ countMax: 2 });
    for (const id of ["one", "two", "one"]) await store().providerObjects.putObject({ ...change, id });
    await expectProblem(store().providerObjects.putObject({ ...change, id: "three" }), "limit_reached");
    expect(await store().providerObjects.removeObject(change, epochMs)).toBe(true);
    expect(await store().providerObjects.removeObject(change, epochMs)).toBe(false);
    expect(await store().providerObjects.putObject({ ...change, id: "three" })).toBe(true);
  });

  test("deletes objects with their server, and stores none of a server that does not exist", async () => {
    const server = await makeServer(store());
    const change = aChange({ server });
    await store().providerObjects.putObject(change);
    await store().providerObjects.putObject({ ...change, server: null });
    await store().deleteServer(server);
    expect(await read(change)).toBeUndefined();
    expect(await read({ ...change, server: null })).toBeDefined();
    await expectProblem(store().providerObjects.putObject({ ...change, server: newServerId() }), "not_found");
  });

  test("walks all objects that do not expire", async () => {
    const { store: own, dispose } = await open();
    onTestFinished(dispose);
    const server = await makeServer(own);
    const changes = [
      aChange({ server }),
      aChange({ id: "z" }),
      aChange({ provider: "other" }),
      aChange({ expiresAt: epochMs + 1 }),
    ];
    for (const change of changes) await own.providerObjects.putObject(change);
    const walked: StoredProviderObject[] = [];
    for (;;) {
      const next = await own.providerObjects.walkObjects(walked.at(-1) ?? null, 1);
      if (next.length === 0) break;
      walked.push(...next);
    }
    expect(walked.map(({ kind }) => kind).toSorted()).toEqual(
      changes
        .slice(0, 3)
        .map(({ kind }) => kind)
        .toSorted(),
    );
    expect(walked.find((one) => one.server !== null)?.server).toBe(server);
  });
}
