import { expect, test } from "vitest";
import { newServerId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { ClaimedScan } from "../scanner-store.ts";
import type { Store } from "../store.ts";
import { aServer, draft, epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useStore, withStore, type OpenStore } from "./setup.ts";

/** Link scanners of servers, and the queue of messages that they scan. */
export function describeScans(open: OpenStore): void {
  const shared = useStore(open);
  const opened = withStore(open);

  /** Stores a message with a scan, which is due `afterMs` after the epoch of the tests. */
  const addDue = async (store: Store, server: ServerId, afterMs: number): Promise<MessageId> => {
    const message = draft(server);
    await store.addMessages([message], { scans: [{ message: message.id, dueAt: epochMs + afterMs }] });
    return message.id;
  };
  const claim = async (
    server: ServerId,
    afterMs: number,
    { lease = "a", countMax = 10 } = {},
  ): Promise<readonly ClaimedScan[]> => {
    const now = epochMs + afterMs;
    const claimed = await shared().scanners.queue.claim({
      now,
      leaseEndsAt: now + 100,
      lease,
      keys: [{ key: server, limit: countMax }],
    });
    return claimed.toSorted((one, other) => one.id.localeCompare(other.id));
  };

  test("keeps the scanner of each server, and removes it with its scans", async () => {
    const store = shared();
    const [server, other] = [await makeServer(store), await makeServer(store)];
    expect(await store.scanners.findScanner(server)).toBeNull();
    const odd = JSON.stringify({ userAgent: 'z "\\ ü😀\0' });
    await store.scanners.setScanner(server, "{}");
    await store.scanners.setScanner(server, odd);
    await store.scanners.setScanner(other, "{}");
    expect([await store.scanners.findScanner(server), await store.scanners.findScanner(other)]).toEqual([odd, "{}"]);
    await addDue(store, server, 0);
    const kept = await addDue(store, other, 0);
    await store.scanners.setScanner(server, null);
    expect([await store.scanners.findScanner(server), await store.scanners.findScanner(other)]).toEqual([null, "{}"]);
    expect([await claim(server, 0), await claim(other, 0)]).toEqual([[], [{ id: kept, attempts: 1 }]]);
    await expectProblem(store.scanners.setScanner(newServerId(), "{}"), "not_found");
  });

  test("removes a scanner with its server, also when a server with the same id follows", async () => {
    const store = shared();
    const server = await makeServer(store);
    await store.scanners.setScanner(server, "{}");
    await addDue(store, server, 0);
    await store.deleteServer(server);
    await store.createServer({ ...aServer(), id: server });
    const again = draft(server);
    await store.addMessages([again]);
    expect(await claim(server, 0)).toEqual([]);
    await store.scanners.setScanner(server, null);
    expect(await store.scanners.findScanner(server)).toBeNull();
  });

  test("removes the scans of a server that is emptied, and keeps its scanner", async () => {
    const store = shared();
    const server = await makeServer(store);
    await store.scanners.setScanner(server, "{}");
    await addDue(store, server, 0);
    await store.emptyServer(server);
    expect([await claim(server, 0), await store.scanners.findScanner(server)]).toEqual([[], "{}"]);
  });

  test("leases due scans of a server, the earliest first, until the lease ends, and counts attempts", async () => {
    const server = await makeServer(shared());
    const late = await addDue(shared(), server, 20);
    const early = await addDue(shared(), server, 10);
    expect(await claim(server, 9)).toEqual([]);
    expect(await claim(server, 30, { countMax: 1 })).toEqual([{ id: early, attempts: 1 }]);
    expect(await claim(server, 30)).toEqual([{ id: late, attempts: 1 }]);
    expect(await claim(server, 129)).toEqual([]);
    expect((await claim(server, 130, { lease: "b" })).map(({ attempts }) => attempts)).toEqual([2, 2]);
  });

  test("postpones and removes a scan only under its lease", async () => {
    const { scanners } = shared();
    const server = await makeServer(shared());
    const id = await addDue(shared(), server, 0);
    await claim(server, 0);
    const lost = { id, lease: "other", dueAt: null };
    expect(await scanners.queue.record([lost, { id, lease: "a", dueAt: epochMs + 50 }])).toEqual([undefined, {}]);
    expect(await claim(server, 49)).toEqual([]);
    expect(await claim(server, 50, { lease: "b" })).toEqual([{ id, attempts: 2 }]);
    await scanners.queue.record([
      { id, lease: "a", dueAt: null },
      { id, lease: "b", dueAt: null },
    ]);
    expect(await claim(server, 1000)).toEqual([]);
  });

  test("adds no scan of a message that is not stored", async () => {
    const server = await makeServer(shared());
    const message = draft(server);
    await shared().addMessages([message]);
    const scans = [{ message: message.id, dueAt: epochMs }];
    const other = { ...message, raw: Buffer.from("other") };
    expect(await shared().addMessages([other], { scans })).toEqual([{ outcome: "collision" }]);
    const [stored, unknown] = [draft(server), draft(newServerId())];
    const both = [stored.id, unknown.id].map((id) => ({ message: id, dueAt: epochMs }));
    await shared().addMessages([stored, unknown], { scans: both });
    expect(await claim(server, 0)).toEqual([{ id: stored.id, attempts: 1 }]);
    expect(await shared().scanners.queue.listDueKeys(epochMs, 1000)).not.toContain(unknown);
  });

  test("lists servers with due scans, releases leases, and keeps everything when it is opened again", async () => {
    await opened(async ({ store, reopen }) => {
      const { scanners } = store;
      expect([await scanners.queue.nextDueAt(), (await scanners.queue.countPending()).count]).toEqual([null, 0]);
      const [first, second] = [await makeServer(store), await makeServer(store)];
      await scanners.setScanner(first, "{}");
      await addDue(store, first, 10);
      await addDue(store, first, 11);
      await addDue(store, second, 5);
      expect([await scanners.queue.nextDueAt(), (await scanners.queue.countPending()).count]).toEqual([epochMs + 5, 3]);
      expect(await scanners.queue.listDueKeys(epochMs + 9, 10)).toEqual([second]);
      expect(await scanners.queue.listDueKeys(epochMs + 10, 10)).toEqual([second, first]);
      expect(await scanners.queue.listDueKeys(epochMs + 10, 1)).toEqual([second]);
      const lease = { now: epochMs + 10, leaseEndsAt: epochMs + 100, lease: "a" };
      await scanners.queue.claim({ ...lease, keys: [{ key: first, limit: 10 }] });
      await scanners.queue.claim({ ...lease, keys: [{ key: second, limit: 10 }] });
      expect(await scanners.queue.listDueKeys(epochMs + 20, 10)).toEqual([first]);
      const again = await reopen();
      expect(await again.scanners.findScanner(first)).toBe("{}");
      await again.scanners.queue.releaseLeases(epochMs + 12);
      expect(new Set(await again.scanners.queue.listDueKeys(epochMs + 12, 10))).toEqual(new Set([first, second]));
    });
  });
}
