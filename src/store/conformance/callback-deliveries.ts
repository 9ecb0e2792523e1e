import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { newServerId } from "../../core/ids.ts";
import { attemptsKeptMax, type CallbackStore, type NewDelivery } from "../callback-store.ts";
import type { Store } from "../store.ts";
import {
  aClaim,
  addTarget,
  aDelivery,
  anAttempt,
  anOutcome,
  anyDelivery,
  idsOfDeliveries,
  listDeliveries,
} from "./callback-drafts.ts";
import { epochMs } from "./drafts.ts";
import { makeServer, useEmptiedStore, useStore, type OpenStore } from "./setup.ts";

const texts = ["\0a\\0\\", "a\n\r\t'\"{}", "ü".repeat(50)];

/** Deliveries of callbacks: content, order, leases, outcomes and lists. */
export function describeCallbackDeliveries(open: OpenStore): void {
  const store = useStore(open);
  const emptied = useEmptiedStore(open);
  /** Returns a store that has only these deliveries, of one queue. */
  const withDeliveries = async (...fields: readonly Partial<NewDelivery>[]) => {
    const { store: own } = emptied();
    const server = await makeServer(own);
    const deliveries = fields.map((one) => aDelivery(server, one));
    await own.callbacks.addDeliveries(deliveries);
    const claim = aClaim([deliveries[0]?.queue ?? ""]);
    const ids = deliveries.map(({ id }) => id);
    return { own, server, deliveries, ids, callbacks: own.callbacks, claim };
  };

  test.each([0, 1, 65_536])("keeps a content of %i bytes that is part of a larger buffer", async (size) => {
    const { callbacks, ids } = await withDeliveries({
      content: new Uint8Array(new ArrayBuffer(size + 20), 10, size).fill(7),
    });
    const content = (await callbacks.getCallbackDelivery(ids[0] ?? ""))?.content;
    expect(Buffer.from(content ?? [0])).toEqual(Buffer.alloc(size, 7));
  });

  test.each(texts)("keeps every text (%j)", async (text) => {
    const fields = { id: `${randomUUID()}${text}`, queue: `q${text}`, type: text };
    const { callbacks, server, own } = await withDeliveries(fields);
    const lease = `node/${text}`;
    const [claimed] = await callbacks.queue.claim(aClaim([fields.queue], { lease }));
    expect(claimed).toMatchObject(fields);
    const attempt = anAttempt({ url: text, error: text, requestHeaders: { [text]: text } });
    expect(await callbacks.queue.record([anOutcome(fields.id, { lease, attempt })])).toEqual([{ sequence: null }]);
    expect(await listDeliveries(own, server, { type: text })).toMatchObject([{ ...fields, attempts: [attempt] }]);
  });

  test("accepts lone surrogates", async () => {
    const { callbacks } = await withDeliveries({ type: "\ud800", queue: "\udfff" });
    expect(await callbacks.queue.listDueKeys(epochMs, 10)).toEqual(["\ufffd"]);
    expect(await callbacks.queue.claim(aClaim(["\ufffd"]))).toMatchObject([{ type: "\ufffd" }]);
    const attempt = anAttempt({ error: "\ud800", url: "\0" });
    expect(await callbacks.queue.record([anOutcome(randomUUID(), { attempt })])).toEqual([undefined]);
  });

  test("adds a delivery once, and none of a server that does not exist", async () => {
    const { callbacks, own, server, deliveries } = await withDeliveries({}, {});
    await callbacks.addDeliveries([...deliveries, aDelivery(server), aDelivery(newServerId())]);
    const listed = await listDeliveries(own, server);
    expect(listed).toHaveLength(3);
    const { content, ...first } = deliveries[0] ?? aDelivery(server);
    expect(listed.at(-1)).toMatchObject({
      ...first,
      status: "Pending",
      attemptCount: 0,
      scheduleStep: 0,
      attempts: [],
      nextAttemptAt: first.dueAt,
    });
    expect(Buffer.from(listed.at(-1)?.content ?? [])).toEqual(Buffer.from(content));
    await callbacks.addDeliveries([]);
  });

  test("lists due queues, the longest due first, without leased deliveries", async () => {
    const queues = ["c", "a", "b", "d"];
    const { callbacks } = await withDeliveries(
      ...queues.map((queue, at) => ({ queue, dueAt: epochMs - 100 + at * 50 })),
      { queue: "a", dueAt: epochMs - 200 },
    );
    expect(await callbacks.queue.listDueKeys(epochMs, 10)).toEqual(["a", "c", "b"]);
    expect(await callbacks.queue.listDueKeys(epochMs, 1)).toEqual(["a"]);
    expect(await callbacks.queue.nextDueAt()).toBe(epochMs - 200);
    await callbacks.queue.claim(aClaim(["a"]));
    expect(await callbacks.queue.listDueKeys(epochMs, 10)).toEqual(["c", "b"]);
    await callbacks.queue.claim(aClaim(["b", "c", "d"]));
    expect(await callbacks.queue.listDueKeys(epochMs, 10)).toEqual([]);
    expect(await callbacks.queue.nextDueAt()).toBe(epochMs + 50);
    expect(await callbacks.queue.listDueKeys(epochMs + 1000, 10)).toEqual(["d", "a", "b", "c"]);
  });

  test("claims due deliveries of each queue in the order of their instants and of storage, up to its limit", async () => {
    const { callbacks, ids } = await withDeliveries(
      { queue: "a", dueAt: epochMs },
      { queue: "a", dueAt: epochMs },
      { queue: "a", dueAt: epochMs - 1 },
      { queue: "a", dueAt: epochMs + 1 },
      { queue: "b", dueAt: epochMs - 5 },
    );
    const claim = aClaim([], { keys: ["a", "b", "none"].map((key) => ({ key, limit: 2 })) });
    const claimed = await callbacks.queue.claim(claim);
    expect(idsOfDeliveries(claimed)).toEqual([ids[2], ids[0], ids[4]]);
    expect(claimed[0]).toMatchObject({ attemptCount: 1, scheduleStep: 1, nextAttemptAt: epochMs + 1000 });
    expect(idsOfDeliveries(await callbacks.queue.claim(claim))).toEqual([ids[1]]);
    expect(await callbacks.queue.claim(claim)).toEqual([]);
  });

  test("never leases a delivery to two claims", async () => {
    const { callbacks } = await withDeliveries(...Array.from({ length: 40 }, () => ({ queue: "a" })));
    const claims = Array.from({ length: 8 }, async (_, at) => callbacks.queue.claim(aClaim(["a"], { lease: `${at}` })));
    const claimed = (await Promise.all(claims)).flat().map(({ id }) => id);
    expect(new Set(claimed).size).toBe(claimed.length);
    const rest = await callbacks.queue.claim(aClaim([], { keys: [{ key: "a", limit: 40 }] }));
    expect(claimed.length + rest.length).toBe(40);
  });

  test("claims nothing of a queue of which another node has leased deliveries", async () => {
    const { callbacks, claim } = await withDeliveries({}, {}, { queue: "b" });
    const [key = { key: "", limit: 0 }] = claim.keys;
    const one = { ...claim, lease: "one/1", keys: [{ ...key, limit: 1 }] };
    expect(await callbacks.queue.claim(one)).toHaveLength(1);
    const other = { ...claim, lease: "two/1", keys: [key, { key: "b", limit: 1 }] };
    expect(await callbacks.queue.claim(other)).toMatchObject([{ queue: "b" }]);
    expect(await callbacks.queue.claim({ ...one, lease: "one/2" })).toHaveLength(1);
    expect(await callbacks.queue.claim({ ...other, now: epochMs + 1000 })).toHaveLength(3);
  });

  test("undoes claims whose attempts were not started", async () => {
    const { callbacks, ids, claim } = await withDeliveries({ dueAt: epochMs - 7 }, {});
    const [first = "", second = ""] = ids;
    await callbacks.queue.claim(claim);
    const leases = [first, "none"].map((delivery) => ({ id: delivery, lease: "lease" }));
    await callbacks.queue.returnClaims([...leases, { id: second, lease: "other" }]);
    await callbacks.queue.returnClaims(leases);
    await callbacks.queue.returnClaims([]);
    const unclaimed = { attemptCount: 0, scheduleStep: 0, nextAttemptAt: epochMs - 7, status: "Pending" };
    expect(await callbacks.getCallbackDelivery(first)).toMatchObject(unclaimed);
    expect(await callbacks.getCallbackDelivery(second)).toMatchObject({ attemptCount: 1 });
    expect(await callbacks.queue.record([anOutcome(first)])).toEqual([undefined]);
    expect(await callbacks.queue.claim(claim)).toMatchObject([{ id: first, attemptCount: 1 }]);
  });

  test("records outcomes in order and keeps the last attempts", async () => {
    const { callbacks, ids, claim } = await withDeliveries({}, {});
    const [id = "", other = ""] = ids;
    for (let number = 1; number <= attemptsKeptMax + 2; number += 1) {
      await callbacks.queue.claim(claim);
      const attempt = anAttempt({ number, responseStatus: null, error: "timed out" });
      const again = anOutcome(id, { status: "Pending", dueAt: epochMs, attempt });
      expect(await callbacks.queue.record([again, anOutcome("none"), again])).toEqual([
        { sequence: null },
        undefined,
        undefined,
      ]);
    }
    expect(await callbacks.queue.record([])).toEqual([]);
    const delivery = await callbacks.getCallbackDelivery(id);
    expect(delivery).toMatchObject({ status: "Pending", attemptCount: attemptsKeptMax + 2, nextAttemptAt: epochMs });
    expect(delivery?.attempts.map(({ number }) => number)).toEqual(
      Array.from({ length: attemptsKeptMax }, (_, at) => at + 3),
    );
    await callbacks.queue.record([anOutcome(other)]);
    expect(await callbacks.getCallbackDelivery(other)).toMatchObject({
      status: "Delivered",
      nextAttemptAt: null,
      attempts: [anAttempt()],
    });
  });

  test("records nothing for a lease that has ended and was taken, and extends only own leases", async () => {
    const { callbacks, ids, claim } = await withDeliveries({});
    const [id = ""] = ids;
    await callbacks.queue.claim(claim);
    const second = { ...claim, now: epochMs + 1000, leaseEndsAt: epochMs + 2000, lease: "second" };
    expect(await callbacks.queue.claim(second)).toMatchObject([{ attemptCount: 2, scheduleStep: 2 }]);
    expect(await callbacks.queue.record([anOutcome(id)])).toEqual([undefined]);
    await callbacks.queue.extendLeases([{ id: id, lease: "lease" }], epochMs + 9000);
    expect(await callbacks.queue.nextDueAt()).toBe(epochMs + 2000);
    await callbacks.queue.extendLeases(
      [
        { id: id, lease: "second" },
        { id: "none", lease: "second" },
      ],
      epochMs + 9000,
    );
    expect(await callbacks.queue.claim({ ...claim, now: epochMs + 8999 })).toEqual([]);
    expect(await callbacks.queue.record([anOutcome(id, { lease: "second" })])).toEqual([{ sequence: null }]);
    expect(await callbacks.queue.nextDueAt()).toBeNull();
    await callbacks.queue.extendLeases([{ id: id, lease: "second" }], epochMs);
    expect(await callbacks.queue.nextDueAt()).toBeNull();
  });

  test("makes leased deliveries due when their leases are released", async () => {
    const { callbacks, claim, ids } = await withDeliveries({}, { dueAt: epochMs + 500 });
    await callbacks.queue.claim(claim);
    await callbacks.queue.releaseLeases(epochMs + 1);
    expect(await callbacks.queue.claim({ ...claim, now: epochMs + 1 })).toMatchObject([{ id: ids[0] }]);
  });

  test("shortens pauses and leases after the clock was set back, but no first attempts", async () => {
    const far = epochMs + 90_000_000;
    const { callbacks, ids, claim } = await withDeliveries(
      { dueAt: far },
      { dueAt: far },
      { queue: "first", dueAt: far },
    );
    await callbacks.queue.claim({ ...claim, now: far, leaseEndsAt: far + 1000 });
    await callbacks.queue.record([anOutcome(ids[0] ?? "", { status: "Pending", dueAt: far + 5000 })]);
    const bounds = { now: epochMs, pausesMsMax: [null, 300, 900], leaseMsMax: 100 };
    expect(await callbacks.queue.boundDueTimes(bounds)).toBe(2);
    expect(await callbacks.queue.boundDueTimes(bounds)).toBe(0);
    const next = async (at: number) => (await callbacks.getCallbackDelivery(ids[at] ?? ""))?.nextAttemptAt;
    expect([await next(0), await next(1), await next(2)]).toEqual([epochMs + 300, epochMs + 100, far]);
  });

  describeDeliveryLists(store);
  describeReplays(withDeliveries);
}

function describeDeliveryLists(store: () => Store): void {
  test("lists deliveries newest first, by target, message, status, type and age, page by page", async () => {
    const server = await makeServer(store());
    const { callbacks } = store();
    const { id: target } = await addTarget(store(), server);
    const all = Array.from({ length: 6 }, (_, at) =>
      aDelivery(server, {
        target: at % 2 === 0 ? target : null,
        type: at < 3 ? "ping" : "message.deleted",
        createdAt: epochMs + at,
      }),
    );
    await callbacks.addDeliveries(all.slice(0, 3));
    await callbacks.addDeliveries([...all.slice(3), aDelivery(await makeServer(store()))]);
    await callbacks.queue.claim(aClaim([target]));
    const outcomes = ["Delivered", "Failed"] as const;
    await callbacks.queue.record(outcomes.map((status, at) => anOutcome(all[at * 2]?.id ?? "", { status })));
    const places = async (filter: Parameters<typeof listDeliveries>[2]) =>
      (await listDeliveries(store(), server, filter)).map(({ id }) => all.findIndex((one) => one.id === id));
    expect(await places({})).toEqual([5, 4, 3, 2, 1, 0]);
    expect(await places({ target })).toEqual([4, 2, 0]);
    expect(await places({ type: "ping" })).toEqual([2, 1, 0]);
    expect(await places({ since: epochMs + 2, before: epochMs + 4 })).toEqual([3, 2]);
    expect(await places({ status: "Delivered" })).toEqual([0]);
    expect(await places({ status: "Failed", target })).toEqual([2]);
    expect(await places({ status: "Pending" })).toEqual([5, 4, 3, 1]);
    expect(await places({ status: "Cancelled" })).toEqual([]);
    const second = await callbacks.listDeliveries(server, anyDelivery, { offset: 2, limit: 2 });
    expect(idsOfDeliveries(second)).toEqual([all[3]?.id, all[2]?.id]);
    expect(second[0]?.number).toBeGreaterThan(second[1]?.number ?? Infinity);
  });
}

type WithDeliveries = (...fields: readonly Partial<NewDelivery>[]) => Promise<{
  readonly own: Store;
  readonly server: NewDelivery["server"];
  readonly deliveries: readonly NewDelivery[];
  readonly ids: readonly string[];
  readonly callbacks: CallbackStore;
  readonly claim: ReturnType<typeof aClaim>;
}>;

function describeReplays(withDeliveries: WithDeliveries): void {
  test("replays finished deliveries from the start of the schedule", async () => {
    const { callbacks, ids, claim } = await withDeliveries({}, {}, {});
    const [sent = "", failed = "", pending = ""] = ids;
    await callbacks.queue.claim(claim);
    await callbacks.queue.record([anOutcome(sent), anOutcome(failed, { status: "Failed" })]);
    expect(await callbacks.replayDeliveries([sent, failed, pending, "none"], epochMs + 7)).toBe(2);
    expect(await callbacks.getCallbackDelivery(sent)).toMatchObject({
      status: "Pending",
      attemptCount: 1,
      scheduleStep: 0,
      nextAttemptAt: epochMs + 7,
      attempts: [anAttempt()],
    });
    const again = await callbacks.queue.claim({ ...claim, now: epochMs + 7 });
    expect(again).toMatchObject([
      { id: sent, attemptCount: 2, scheduleStep: 1 },
      { id: failed, attemptCount: 2, scheduleStep: 1 },
    ]);
  });

  test("replays the deliveries that match, the first stored first, up to the limit", async () => {
    const { callbacks, own, server, ids, claim } = await withDeliveries({}, {}, { type: "ping" }, {});
    await callbacks.queue.claim(claim);
    await callbacks.queue.record(ids.map((id) => anOutcome(id, { status: "Failed" })));
    const filter = { ...anyDelivery, status: "Failed", type: "message.received" } as const;
    expect(await callbacks.replayMatching(server, filter, { now: epochMs, limit: 2 })).toBe(2);
    expect(idsOfDeliveries(await listDeliveries(own, server, { status: "Pending" }))).toEqual([ids[1], ids[0]]);
    expect(await callbacks.replayMatching(server, filter, { now: epochMs, limit: 9 })).toBe(1);
    expect(await callbacks.replayMatching(newServerId(), anyDelivery, { now: epochMs, limit: 9 })).toBe(0);
    expect(await listDeliveries(own, server, { status: "Failed" })).toHaveLength(1);
  });

  test("erases content and header fields, and cancels a pending delivery", async () => {
    const { callbacks, ids, claim } = await withDeliveries({}, {});
    const [sent = "", running = ""] = ids;
    await callbacks.queue.claim(claim);
    await callbacks.queue.record([anOutcome(sent)]);
    expect(await callbacks.eraseDelivery(sent)).toBe(true);
    expect(await callbacks.eraseDelivery(running)).toBe(true);
    expect(await callbacks.eraseDelivery("none")).toBe(false);
    const attempts = [anAttempt({ requestHeaders: {} })];
    expect(await callbacks.getCallbackDelivery(sent)).toMatchObject({ status: "Delivered", content: null, attempts });
    expect(await callbacks.getCallbackDelivery(running)).toMatchObject({ status: "Cancelled", nextAttemptAt: null });
    expect(await callbacks.queue.record([anOutcome(running)])).toEqual([undefined]);
    expect(await callbacks.replayDeliveries(ids, epochMs)).toBe(0);
  });

  test("removes old deliveries that are finished or that inactive targets keep, up to the limit", async () => {
    const { callbacks, own, server, ids, claim } = await withDeliveries({}, {}, {}, { createdAt: epochMs + 1 });
    const { id: target } = await addTarget(own, server);
    const kept = aDelivery(server, { target });
    await callbacks.addDeliveries([kept]);
    await callbacks.queue.claim(claim);
    await callbacks.queue.record([ids[0], ids[1], ids[3]].map((id) => anOutcome(id ?? "")));
    expect(await callbacks.removeDeliveries(epochMs, 10)).toBe(0);
    expect(await callbacks.removeDeliveries(epochMs + 1, 1)).toBe(1);
    expect(await callbacks.removeDeliveries(epochMs + 1, 10)).toBe(1);
    expect(idsOfDeliveries(await listDeliveries(own, server))).toEqual([kept.id, ids[3], ids[2]]);
    await callbacks.updateTarget(target, { state: "paused" }, { now: epochMs });
    expect(await callbacks.removeDeliveries(epochMs + 1, 10)).toBe(1);
    expect(idsOfDeliveries(await listDeliveries(own, server))).toEqual([ids[3], ids[2]]);
  });

  test("counts the pending deliveries of active targets", async () => {
    const { callbacks, own, server, claim } = await withDeliveries({ dueAt: epochMs - 5 }, {});
    const { id: target } = await addTarget(own, server);
    await callbacks.addDeliveries([aDelivery(server, { target, dueAt: epochMs - 9 })]);
    expect(await callbacks.queue.countPending()).toEqual({ count: 3, oldestDueAt: epochMs - 9 });
    await callbacks.updateTarget(target, { state: "paused" }, { now: epochMs });
    expect(await callbacks.queue.countPending()).toEqual({ count: 2, oldestDueAt: epochMs - 5 });
    const claimed = await callbacks.queue.claim(claim);
    await callbacks.queue.record(claimed.map(({ id }) => anOutcome(id)));
    expect(await callbacks.queue.countPending()).toEqual({ count: 0, oldestDueAt: null });
    expect(await callbacks.queue.nextDueAt()).toBeNull();
  });
}
