import { expect, test } from "vitest";
import { newServerId } from "../../core/ids.ts";
import { aKey, epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useStore, type OpenStore } from "./setup.ts";

/** Keys: found by hash, unique, bound to servers. */
export function describeKeys(open: OpenStore): void {
  const store = useStore(open);

  test("finds a key by its hash, as it was added", async () => {
    const server = await makeServer(store());
    const limited = { expiresAt: epochMs + 5, requestsPerMinute: 60, networks: ["192.0.2.0/24", "::1"] };
    const former = { hash: aKey().hash, until: epochMs + 9 };
    const keys = [
      aKey({ name: "CI ✓" }),
      aKey({ server }),
      aKey({ scope: "read", ...limited, lastUsedAt: epochMs, former }),
    ];
    for (const key of keys) {
      await store().addKey(key);
      expect(await store().findKey(key.hash)).toEqual(key);
    }
  });

  test("returns undefined for an unknown hash", async () => {
    expect(await store().findKey(aKey().hash)).toBeUndefined();
  });

  test("rejects a taken hash or id and keeps the first key", async () => {
    const key = aKey();
    await store().addKey(key);
    await expectProblem(store().addKey({ ...aKey(), hash: key.hash }), "conflict");
    const sameId = { ...aKey(), id: key.id };
    await expectProblem(store().addKey(sameId), "conflict");
    expect(await store().findKey(key.hash)).toEqual(key);
    expect(await store().findKey(sameId.hash)).toBeUndefined();
  });

  test("rejects a key of a server that does not exist", async () => {
    const key = aKey({ server: newServerId() });
    await expectProblem(store().addKey(key), "not_found");
    expect(await store().findKey(key.hash)).toBeUndefined();
  });

  test("does not find a removed key, and returns false when it is removed again", async () => {
    const key = aKey();
    await store().addKey(key);
    expect(await store().removeKey(key.id)).toBe(true);
    expect(await store().findKey(key.hash)).toBeUndefined();
    expect(await store().removeKey(key.id)).toBe(false);
  });

  test("lists keys oldest first", async () => {
    const own = [
      aKey({ createdAt: epochMs + 5e6 }),
      aKey({ createdAt: epochMs + 4e6 }),
      aKey({ createdAt: epochMs + 6e6 }),
    ];
    for (const key of own) await store().addKey(key);
    const listed = (await store().listKeys()).filter(({ id }) => own.some((key) => key.id === id));
    expect(listed).toEqual([own[1], own[0], own[2]]);
  });

  test("finds a rotated key by both secrets, by the former one until the next rotation", async () => {
    const key = aKey({ scope: "send" });
    await store().addKey(key);
    const { signIns } = store();
    const signIn = async (keyHash: string): Promise<string> => {
      const name = `of ${keyHash}`;
      await signIns.addSignIn({ name, kind: "session", keyHash, user: null, openedAt: epochMs }, 1000);
      return name;
    };
    const first = await signIn(key.hash);
    const [second, third] = [aKey().hash, aKey().hash];
    const former = { hash: key.hash, until: epochMs + 60_000 };
    expect(await store().rotateKey(key.id, second, former.until)).toEqual({ ...key, hash: second, former });
    for (const hash of [key.hash, second]) expect(await store().findKey(hash)).toMatchObject({ id: key.id, former });
    await expectProblem(store().addKey(aKey({ hash: second })), "conflict");
    expect(await signIns.findSignIn(first)).toBeDefined();
    const other = await signIn(second);
    expect(await store().rotateKey(key.id, third, null)).toEqual({ ...key, hash: third });
    for (const hash of [key.hash, second]) expect(await store().findKey(hash)).toBeUndefined();
    for (const name of [first, other]) expect(await signIns.findSignIn(name)).toBeUndefined();
    expect(await store().rotateKey("none", aKey().hash, null)).toBeUndefined();
  });

  test("removes the sign-ins of the former secret with a key", async () => {
    const key = aKey();
    await store().addKey(key);
    const name = `former of ${key.id}`;
    await store().signIns.addSignIn({ name, kind: "session", keyHash: key.hash, user: null, openedAt: epochMs }, 1000);
    await store().rotateKey(key.id, aKey().hash, epochMs + 1);
    await store().removeKey(key.id);
    expect(await store().signIns.findSignIn(name)).toBeUndefined();
  });

  test("moves the last use forward, never back, and creates nothing", async () => {
    const key = aKey();
    await store().addKey(key);
    const lastUsedAt = async (): Promise<unknown> =>
      (await store().listKeys()).find(({ id }) => id === key.id)?.lastUsedAt;
    for (const at of [epochMs + 5, epochMs + 3]) await store().noteKeyUse(key.id, at);
    expect(await lastUsedAt()).toBe(epochMs + 5);
    await store().noteKeyUse("none", epochMs);
  });
}
