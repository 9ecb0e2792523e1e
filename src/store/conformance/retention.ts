import { expect, test } from "vitest";
import { newServerId, type ServerId } from "../../core/ids.ts";
import type { ExpiryRule } from "../store.ts";
import { epochMs, page } from "./drafts.ts";
import { addDrafts, find, idsOf, makeServer, newestFirst, useStore, type OpenStore } from "./setup.ts";

/** Retention: removes what a rule selects, in steps, and counts it. */
export function describeRetention(open: OpenStore): void {
  const store = useStore(open);

  async function expireAll(server: ServerId, rule: ExpiryRule): Promise<number> {
    let total = 0;
    for (;;) {
      const count = await store().expireMessages(server, rule);
      expect(count).toBeLessThanOrEqual(1000);
      if (count === 0) return total;
      total += count;
    }
  }

  test("removes messages received before the instant, not at it", async () => {
    const server = await makeServer(store());
    const ids = await addDrafts(
      store(),
      server,
      [0, 1, 2, 3].map((ms) => ({ at: epochMs + ms, to: ["t@x.test"] })),
    );
    expect(await expireAll(server, { receivedBefore: epochMs + 2, keepNewest: null })).toBe(2);
    expect(idsOf(await store().listMessages(server, page()))).toEqual([ids[3], ids[2]]);
    expect(await find(store(), server, { sentTo: "t@x.test" })).toEqual([ids[3], ids[2]]);
    expect(await store().getServer(server)).toMatchObject({ messages: 2, retired: 2 });
  });

  test("keeps only the newest messages over both directions", async () => {
    const server = await makeServer(store());
    const ids = await addDrafts(store(), server, [
      { at: epochMs + 1, direction: "Sent" },
      { at: epochMs + 2 },
      { at: epochMs + 3, direction: "Sent" },
      { at: epochMs + 4 },
      { at: epochMs + 5 },
    ]);
    expect(await expireAll(server, { receivedBefore: null, keepNewest: 3 })).toBe(2);
    expect(idsOf(await store().listMessages(server, page()))).toEqual([ids[4], ids[3]]);
    expect(idsOf(await store().listMessages(server, page({ direction: "Sent" })))).toEqual([ids[2]]);
    expect(await expireAll(server, { receivedBefore: null, keepNewest: 3 })).toBe(0);
  });

  test("removes messages that either rule selects", async () => {
    const server = await makeServer(store());
    const ids = await addDrafts(
      store(),
      server,
      [1, 2, 3, 4].map((ms) => ({ at: epochMs + ms })),
    );
    expect(await expireAll(server, { receivedBefore: epochMs + 2, keepNewest: 2 })).toBe(2);
    expect(await expireAll(server, { receivedBefore: epochMs + 4, keepNewest: 2 })).toBe(1);
    expect(idsOf(await store().listMessages(server, page()))).toEqual([ids[3]]);
  });

  test("removes nothing when both rules are off", async () => {
    const server = await makeServer(store());
    await addDrafts(store(), server, [{}, {}]);
    expect(await store().expireMessages(server, { receivedBefore: null, keepNewest: null })).toBe(0);
    expect(await store().expireMessages(server, { receivedBefore: 0, keepNewest: 2 })).toBe(0);
    expect(await store().expireMessages(newServerId(), { receivedBefore: null, keepNewest: 0 })).toBe(0);
  });

  test("records a deletion in the journal for each expired message, oldest first", async () => {
    const server = await makeServer(store());
    const ids = await addDrafts(store(), server, [{}, {}, {}]);
    await expireAll(server, { receivedBefore: null, keepNewest: 1 });
    expect(await store().listChanges(server, 3, 10)).toEqual([
      { sequence: 4, kind: "deleted", id: ids[0] },
      { sequence: 5, kind: "deleted", id: ids[1] },
    ]);
  });

  test("removes all expired messages in several steps, and keeps their count after emptying", async () => {
    const server = await makeServer(store());
    const ids = newestFirst(
      await addDrafts(
        store(),
        server,
        Array.from({ length: 1300 }, () => ({})),
      ),
    );
    expect(await expireAll(server, { receivedBefore: null, keepNewest: 10 })).toBe(1290);
    expect(idsOf(await store().listMessages(server, page()))).toEqual(ids.slice(0, 10));
    await store().emptyServer(server);
    expect(await store().getServer(server)).toMatchObject({ messages: 0, retired: 1290 });
  });
}
