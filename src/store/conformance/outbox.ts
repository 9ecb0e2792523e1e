import { expect, test } from "vitest";
import { newServerId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { AttemptOutcome, NewOutboxEntry, OutboxEntry } from "../outbox-store.ts";
import type { Store } from "../store.ts";
import { anEntry, draft, epochMs, unkeyed } from "./drafts.ts";
import { expectProblem, makeServer, useEmptiedStore, type OpenStore } from "./setup.ts";

/** Outbox: entries stored with their message, leased by one claim, kept until they are final. */
export function describeOutbox(open: OpenStore): void {
  const emptied = useEmptiedStore(open);
  /** Returns a store without other servers, because claims return entries of all servers. */
  const openStore = async (): Promise<{ store: Store; server: ServerId; reopen: () => Promise<Store> }> => {
    const { store, reopen } = emptied();
    return { store, server: await makeServer(store), reopen };
  };
  const send = async (store: Store, server: ServerId, fields: Partial<NewOutboxEntry> = {}): Promise<MessageId> => {
    const message = draft(server, { direction: "Sent" });
    const entries = [anEntry({ message: message.id, ...fields })];
    expect(await store.addMessages([message], { entries })).toMatchObject([{ outcome: "stored" }]);
    return message.id;
  };
  const claim = (store: Store, now: number, limit = 10): Promise<readonly OutboxEntry[]> =>
    store.outbox.queue.claim({ now, leaseEndsAt: now + 1000, lease: `at ${now}`, keys: unkeyed(limit) });
  const end = async (
    store: Store,
    { id }: OutboxEntry,
    { now, ...fields }: { now: number } & Partial<AttemptOutcome>,
  ) => {
    const outcome = { id, lease: `at ${now}`, status: "Sent", dueAt: null, lastError: null, at: now } as const;
    return (await store.outbox.queue.record([{ ...outcome, ...fields }]))[0];
  };

  test("returns an entry as it was added, not before it is due", async () => {
    const { store, server } = await openStore();
    const content = Buffer.from([0, 1, 255]);
    const fields = { mailFrom: "a@x.test", rcptTo: ["b@y.test", "c@y.test"], content };
    const message = await send(store, server, fields);
    expect(await store.outbox.queue.nextDueAt()).toBe(epochMs);
    expect(await claim(store, epochMs - 1)).toEqual([]);
    const [claimed, ...more] = await claim(store, epochMs);
    expect(more).toEqual([]);
    expect(claimed).toMatchObject({ ...fields, content: claimed?.content, message, route: "relay", attempts: 1 });
    expect(Buffer.from(claimed?.content ?? [])).toEqual(content);
  });

  test("gives an entry to one claim until the lease expires, and counts each claim", async () => {
    const { store, server } = await openStore();
    await send(store, server);
    const claims = await Promise.all([claim(store, epochMs), claim(store, epochMs), claim(store, epochMs)]);
    expect(claims.flat()).toHaveLength(1);
    expect(await claim(store, epochMs + 999)).toEqual([]);
    expect(await store.outbox.queue.nextDueAt()).toBe(epochMs + 1000);
    expect(await claim(store, epochMs + 1000)).toMatchObject([{ attempts: 2 }]);
  });

  test("extends the lease of a running attempt, and not that of a later claim or of a recorded attempt", async () => {
    const { store, server } = await openStore();
    await send(store, server);
    const [first] = await claim(store, epochMs);
    if (first === undefined) throw new Error("not claimed");
    const extend = (lease: string, leaseEndsAt: number): Promise<void> =>
      store.outbox.queue.extendLeases([{ id: first.id, lease }], leaseEndsAt);
    await extend(`at ${epochMs}`, epochMs + 5000);
    expect(await claim(store, epochMs + 4999)).toEqual([]);
    expect(await claim(store, epochMs + 5000)).toMatchObject([{ id: first.id, attempts: 2 }]);
    await extend(`at ${epochMs}`, epochMs + 9000);
    expect(await store.outbox.queue.nextDueAt()).toBe(epochMs + 6000);
    await end(store, first, { now: epochMs + 5000 });
    await extend(`at ${epochMs + 5000}`, epochMs + 9000);
    expect(await store.outbox.queue.nextDueAt()).toBeNull();
  });

  test("rejects the outcome of an attempt whose lease has expired", async () => {
    const { store, server } = await openStore();
    const message = await send(store, server);
    const [first] = await claim(store, epochMs);
    const [second] = await claim(store, epochMs + 1000);
    if (first === undefined || second === undefined) throw new Error("not claimed");
    expect(await end(store, first, { now: epochMs, status: "Failed" })).toBeUndefined();
    expect(await store.outbox.getDelivery(message)).toMatchObject({ status: "Queued", attempts: 2 });
    expect(await end(store, second, { now: epochMs + 1000 })).toEqual({ sequence: null });
    expect(await end(store, second, { now: epochMs + 1000 })).toBeUndefined();
    expect(await store.outbox.getDelivery(message)).toMatchObject({ status: "Sent" });
  });

  test("returns the longest due entries first, up to the limit", async () => {
    const { store, server } = await openStore();
    for (const at of [3, 1, 2]) await send(store, server, { at: epochMs + at, mailFrom: `${at}@x.test` });
    const senders = async (limit: number): Promise<readonly string[]> =>
      (await claim(store, epochMs + 10, limit)).map(({ mailFrom }) => mailFrom);
    expect(await senders(2)).toEqual(["1@x.test", "2@x.test"]);
    expect(await senders(2)).toEqual(["3@x.test"]);
  });

  test("makes a deferred entry due again at the given instant, with its error", async () => {
    const { store, server } = await openStore();
    const message = await send(store, server);
    const [claimed] = await claim(store, epochMs);
    if (claimed === undefined) throw new Error("not claimed");
    const retry = { status: "Queued", dueAt: epochMs + 5000, lastError: "451 later", at: epochMs + 1 } as const;
    expect(await end(store, claimed, { now: epochMs, ...retry })).toEqual({ sequence: null });
    expect(await store.outbox.getDelivery(message)).toEqual({
      status: "Queued",
      attempts: 1,
      lastError: "451 later",
      updatedAt: epochMs + 1,
    });
    expect(await store.outbox.queue.nextDueAt()).toBe(epochMs + 5000);
  });

  test("records a change of the server for a permanent failure", async () => {
    const { store, server } = await openStore();
    const message = await send(store, server);
    const [claimed] = await claim(store, epochMs);
    if (claimed === undefined) throw new Error("not claimed");
    expect(await end(store, claimed, { now: epochMs, status: "Failed", lastError: "550 no" })).toEqual({ sequence: 2 });
    expect(await store.listChanges(server, 1, 10)).toEqual([{ sequence: 2, kind: "failed", id: message }]);
    expect(await store.outbox.queue.nextDueAt()).toBeNull();
  });

  test("reports the worst status of several entries for the message", async () => {
    const { store, server } = await openStore();
    const message = draft(server, { direction: "Sent" });
    const entries = [anEntry({ message: message.id, status: "Sent" }), anEntry({ message: message.id })];
    await store.addMessages([message], { entries });
    expect(await store.outbox.getDelivery(message.id)).toMatchObject({ status: "Queued", attempts: 1 });
    const [claimed] = await claim(store, epochMs);
    if (claimed === undefined) throw new Error("not claimed");
    await end(store, claimed, { now: epochMs, status: "Failed", lastError: "550 no" });
    expect(await store.outbox.getDelivery(message.id)).toMatchObject({ status: "Failed", lastError: "550 no" });
    expect(await store.outbox.getDelivery(draft(server).id)).toBeUndefined();
  });

  test.each<[string, (store: Store, server: ServerId, message: MessageId) => Promise<unknown>]>([
    ["deleted", (store, _server, message) => store.deleteMessage(message)],
    ["emptied", (store, server) => store.emptyServer(server)],
    ["deleted with its server", (store, server) => store.deleteServer(server)],
    ["expired", (store, server) => store.expireMessages(server, { receivedBefore: null, keepNewest: 0 })],
  ])(
    "deletes the entries of a message that was %s, and ignores the outcome of a running attempt",
    async (_name, remove) => {
      const { store, server } = await openStore();
      const message = await send(store, server);
      const [claimed] = await claim(store, epochMs);
      await send(store, server, { at: epochMs + 1 });
      await remove(store, server, message);
      await remove(store, server, message);
      if (claimed === undefined) throw new Error("not claimed");
      expect(await end(store, claimed, { now: epochMs, status: "Failed" })).toBeUndefined();
      expect(await store.outbox.getDelivery(message)).toBeUndefined();
      const left = (await claim(store, epochMs + 5000)).map((one) => one.message);
      expect(left).not.toContain(message);
    },
  );

  test("deletes a finished entry without a message", async () => {
    const { store, server } = await openStore();
    await store.addMessages([draft(server)], { entries: [anEntry({ content: Buffer.from("x") })] });
    expect((await store.statistics()).outboxBacklogCount).toBe(1);
    const [claimed] = await claim(store, epochMs);
    if (claimed === undefined) throw new Error("not claimed");
    expect(await end(store, claimed, { now: epochMs })).toEqual({ sequence: null });
    expect((await store.statistics()).outboxBacklogCount).toBe(0);
  });

  test("ignores an entry whose id exists", async () => {
    const { store, server } = await openStore();
    const one = anEntry();
    await store.addMessages([draft(server)], { entries: [one, one] });
    await store.addMessages([draft(server)], { entries: [one] });
    expect(await claim(store, epochMs)).toHaveLength(1);
  });

  test("does not store an entry without a message when no message is stored", async () => {
    const { store } = await openStore();
    const outcomes = await store.addMessages([draft(newServerId())], { entries: [anEntry()] });
    expect(outcomes).toEqual([{ outcome: "no_server" }]);
    expect(await store.outbox.queue.nextDueAt()).toBeNull();
  });

  test("releases all leases at once after a crash", async () => {
    const { store, server, reopen } = await openStore();
    await send(store, server);
    await claim(store, epochMs);
    const again = await reopen();
    expect(await claim(again, epochMs + 1)).toEqual([]);
    await again.outbox.queue.releaseLeases(epochMs + 1);
    expect(await claim(again, epochMs + 1)).toMatchObject([{ attempts: 2 }]);
  });

  test("shortens pauses and leases that a clock which was set back made too long", async () => {
    const { store, server } = await openStore();
    const later = epochMs - 3_600_000;
    const bounds = { now: later, pausesMsMax: [0, 1000, 5000], leaseMsMax: 9000 };
    const dueAt = async (): Promise<number | null> => await store.outbox.queue.nextDueAt();
    await send(store, server);
    expect(await store.outbox.queue.boundDueTimes({ ...bounds, now: epochMs })).toBe(0);
    expect(await dueAt()).toBe(epochMs);
    expect(await store.outbox.queue.boundDueTimes(bounds)).toBe(1);
    expect(await dueAt()).toBe(later);
    for (const pauseMs of [1000, 5000, 5000]) {
      const [claimed] = await store.outbox.queue.claim({
        now: later,
        leaseEndsAt: epochMs,
        lease: "l",
        keys: unkeyed(10),
      });
      if (claimed === undefined) throw new Error("not claimed");
      expect(await store.outbox.queue.boundDueTimes(bounds)).toBe(1);
      expect(await dueAt()).toBe(later + 9000);
      await end(store, claimed, { now: later, lease: "l", status: "Queued", dueAt: later + pauseMs });
      expect(await store.outbox.queue.boundDueTimes(bounds)).toBe(0);
      await store.outbox.queue.boundDueTimes({ ...bounds, now: later - pauseMs, pausesMsMax: [later] });
      expect(await store.outbox.queue.boundDueTimes({ ...bounds, now: later - 1 })).toBe(1);
      expect(await dueAt()).toBe(later - 1 + pauseMs);
      expect(await store.outbox.queue.boundDueTimes({ ...bounds, now: later - pauseMs })).toBe(1);
    }
  });

  test("stores no entries and idempotency keys of messages that collide", async () => {
    const { store, server } = await openStore();
    const message = draft(server, { direction: "Sent", raw: "one" });
    await store.addMessages([message]);
    const other = { ...message, raw: Buffer.from("two") };
    const repeatable = { scope: "s", key: "k", fingerprint: "f", message: message.id, at: epochMs };
    const entries = [anEntry({ message: message.id })];
    expect(await store.addMessages([other], { entries, repeatable })).toEqual([{ outcome: "collision" }]);
    expect(await store.outbox.queue.nextDueAt()).toBeNull();
    expect(await store.idempotency.findIdempotentRequest("s", "k")).toBeUndefined();
  });

  test("stores an idempotency key with its message, and rejects another request with the same key", async () => {
    const { store, server } = await openStore();
    const [first, second] = [draft(server), draft(server)];
    const repeatable = { scope: "s", key: "k", fingerprint: "f", message: first.id, at: epochMs };
    await store.addMessages([first], { repeatable });
    await store.addMessages([first], { repeatable });
    expect(await store.idempotency.findIdempotentRequest("s", "k")).toEqual(repeatable);
    expect(await store.idempotency.findIdempotentRequest("S", "k")).toBeUndefined();
    const other = { ...repeatable, message: second.id };
    await expectProblem(store.addMessages([second], { repeatable: other }), "conflict");
    expect(await store.getRaw(second.id)).toBeUndefined();
    expect(await store.idempotency.deleteIdempotentRequests(epochMs)).toBe(0);
    expect(await store.idempotency.deleteIdempotentRequests(epochMs + 1)).toBe(1);
    expect(await store.idempotency.findIdempotentRequest("s", "k")).toBeUndefined();
  });
}
