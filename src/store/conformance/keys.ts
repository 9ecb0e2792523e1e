import { expect, test } from "vitest";
import { newServerId } from "../../core/ids.ts";
import { aKey, epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useStore } from "./setup.ts";
import type { OpenStore } from "./setup.ts";

/** Keys: found by hash, unique, bound to servers. */
export function describeKeys(open: OpenStore): void {
  const store = useStore(open);

  test("a key is found by its hash, as it was given", async () => {
    const server = await makeServer(store());
    for (const key of [aKey({ name: "CI ✓" }), aKey({ server })]) {
      await store().addKey(key);
      expect(await store().findKey(key.hash)).toEqual(key);
    }
  });

  test("an unknown hash finds nothing", async () => {
    expect(await store().findKey(aKey().hash)).toBeUndefined();
  });

  test("a taken hash or id is a conflict, and the first key stays", async () => {
    const key = aKey();
    await store().addKey(key);
    await expectProblem(store().addKey({ ...aKey(), hash: key.hash }), "conflict");
    const sameId = { ...aKey(), id: key.id };
    await expectProblem(store().addKey(sameId), "conflict");
    expect(await store().findKey(key.hash)).toEqual(key);
    expect(await store().findKey(sameId.hash)).toBeUndefined();
  });

  test("a key of a server that does not exist is refused", async () => {
    const key = aKey({ server: newServerId() });
    await expectProblem(store().addKey(key), "not_found");
    expect(await store().findKey(key.hash)).toBeUndefined();
  });

  test("a removed key is found no more, and removing it again says so", async () => {
    const key = aKey();
    await store().addKey(key);
    expect(await store().removeKey(key.id)).toBe(true);
    expect(await store().findKey(key.hash)).toBeUndefined();
    expect(await store().removeKey(key.id)).toBe(false);
  });

  test("keys are listed oldest first", async () => {
    const own = [
      aKey({ createdAt: epochMs + 5e6 }),
      aKey({ createdAt: epochMs + 4e6 }),
      aKey({ createdAt: epochMs + 6e6 }),
    ];
    for (const key of own) await store().addKey(key);
    const listed = (await store().listKeys()).filter(({ id }) => own.some((key) => key.id === id));
    expect(listed).toEqual([own[1], own[0], own[2]]);
  });
}
