/** Contract of `NodeStore`, for every kind of shared database. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FaultDecision, FaultOccurrence, FaultRule } from "../../../core/fault.ts";
import { summaryContacts } from "../../../core/message.ts";
import { newServerId, type ServerId } from "../../../core/ids.ts";
import { aClaim, addTarget, aDelivery, anOutcome, listDeliveries } from "../../conformance/callback-drafts.ts";
import { draft, epochMs } from "../../conformance/drafts.ts";
import { makeServer } from "../../conformance/setup.ts";
import type { NodeStore } from "../../node-store.ts";
import type { Store } from "../../store.ts";
import { openPostgresNode } from "../open.ts";

let store: Store;
let otherStore: Store;
let one: NodeStore;
let other: NodeStore;
let server: ServerId;
let closeAll: () => Promise<void> = () => Promise.resolve();

const recipients = (to: string) => ({ to: [{ name: "", email: to, phone: null }], cc: [], bcc: [] });

/** Tests two nodes on one database, which `makeUrl` creates. Call once per file. */
export function describeNodes(makeUrl: () => Promise<string>): void {
  beforeAll(async () => {
    const url = await makeUrl();
    const first = await openPostgresNode({ url });
    const second = await openPostgresNode({ url });
    [store, otherStore, one, other] = [first.store, second.store, first.nodes, second.nodes];
    closeAll = async () => {
      await second.nodes.close();
      await first.nodes.close();
      await second.store.close();
      await first.store.close();
    };
    server = await makeServer(store);
  });
  afterAll(() => closeAll());

  describe("reads for subscribers", () => {
    describeReads();
  });
  describe("a lease", () => {
    describeLeases();
  });
  describe("callbacks", () => {
    describeCallbacks();
  });
  describe("fault rules", () => {
    describeFaultRules();
  });
  describe("a node whose heartbeat expired", () => {
    describeDeadNodes();
  });
}

function describeDeadNodes(): void {
  test("loses its leases of every queue, but running and unknown nodes do not", async () => {
    const entry = { message: null, route: "hook", mailFrom: "", rcptTo: [], content: Buffer.from("x"), at: 0 } as const;
    for (const id of ["dead", "living", "other"]) {
      await store.addMessages([draft(server)], { entries: [{ ...entry, id, status: "Queued", lastError: null }] });
    }
    const leases = { dead: `${one.id}/1`, living: `${other.id}/2`, other: "3" };
    for (const lease of Object.values(leases)) {
      await store.outbox.queue.claim({ now: 1, leaseEndsAt: 1e12, lease, keys: [{ key: "", limit: 1 }] });
    }
    const { id } = draft(server);
    const limits = { countMax: 10, bytesMax: 1000 };
    await store.scheduledMessages.addScheduledMessages(
      [{ id, sendAt: 1, acceptedAt: null, json: "{}", raw: Buffer.from("x") }],
      limits,
    );
    const claim = { now: 1, leaseEndsAt: 1e12, lease: leases.dead, keys: [{ key: "", limit: 10 }] };
    await store.scheduledMessages.queue.claim(claim);
    const scanned = draft(server);
    await store.addMessages([scanned], { scans: [{ message: scanned.id, dueAt: 1 }] });
    await store.scanners.queue.claim({ ...claim, keys: [{ key: server, limit: 10 }] });
    const parsed = draft(server);
    await store.addMessages([parsed], { reparseAt: 1 });
    await store.reparses.queue.claim(claim);
    await one.sendHeartbeat(1);
    await other.sendHeartbeat(60_000);
    // The heartbeat may expire between the statements of the first call.
    let releasedCount = 0;
    await expect.poll(async () => (releasedCount += await other.releaseLeasesOfDeadNodes(5))).toBe(4);
    expect(await store.reparses.queue.nextDueAt()).toBe(5);
    expect(await store.scanners.queue.listDueKeys(5, 10)).toEqual([server]);
    expect(await store.scheduledMessages.queue.claim({ ...claim, now: 5, lease: "5" })).toMatchObject([{ id }]);
    const [again, ...more] = await store.outbox.queue.claim({
      now: 5,
      leaseEndsAt: 1e12,
      lease: "4",
      keys: [{ key: "", limit: 10 }],
    });
    expect([again?.attempts, more]).toEqual([2, []]);
  });
}

function describeCallbacks(): void {
  test("are claimed by one node at a time per queue, each once", async () => {
    const own = await makeServer(store);
    const queues = Array.from({ length: 6 }, (_, at) => `https://disjoint${at}.example`);
    const count = 300;
    await store.callbacks.addDeliveries(
      Array.from({ length: count }, (_, at) => aDelivery(own, { queue: queues[at % queues.length] ?? "" })),
    );
    const delivered: string[] = [];
    const holders = new Map<string, string>();
    const work = async (node: NodeStore, { callbacks }: Store): Promise<void> => {
      for (let round = 0; delivered.length < count; round += 1) {
        const lease = `${node.id}/${round}`;
        const claim = aClaim([], { lease, keys: queues.map((key) => ({ key, limit: 3 })) });
        const claimed = await callbacks.queue.claim(claim);
        for (const { queue } of claimed) {
          expect(holders.get(queue) ?? node.id).toBe(node.id);
          holders.set(queue, node.id);
        }
        await callbacks.queue.nextDueAt();
        for (const { queue } of claimed) holders.delete(queue);
        const results = await callbacks.queue.record(claimed.map(({ id }) => anOutcome(id, { lease })));
        expect(results).not.toContain(undefined);
        delivered.push(...claimed.map(({ id }) => id));
      }
    };
    await Promise.all([work(one, store), work(other, otherStore), work(other, otherStore)]);
    expect(new Set(delivered).size).toBe(count);
    expect(await listDeliveries(store, own, { status: "Delivered" })).toHaveLength(count);
  });

  describeSharedTargets();
}

function describeSharedTargets(): void {
  test("stores deliveries of the same changes once when nodes process them at the same time", async () => {
    const own = await makeServer(store);
    const target = await addTarget(store, own);
    const process = async (from: number, { callbacks }: Store): Promise<boolean> =>
      callbacks.processChanges({
        server: own,
        from,
        to: from + 1,
        deliveries: [aDelivery(own, { target: target.id })],
      });
    for (let from = 0; from < 20; from += 1) {
      const moved = await Promise.all([process(from, store), process(from, otherStore), process(from, otherStore)]);
      expect(moved.filter(Boolean)).toHaveLength(1);
    }
    expect(await listDeliveries(otherStore, own)).toHaveLength(20);
  });

  test("never outlive a target that another node removes meanwhile", async () => {
    const own = await makeServer(store);
    for (let round = 0; round < 10; round += 1) {
      const { id } = await addTarget(store, own);
      const adding = Array.from({ length: 5 }, async () =>
        otherStore.callbacks.addDeliveries([aDelivery(own, { target: id }), aDelivery(own, { target: id })]),
      );
      await Promise.all([...adding, store.callbacks.removeTarget(id)]);
    }
    expect(await listDeliveries(store, own)).toEqual([]);
    await expect.poll(async () => store.callbacks.removeDeliveries(epochMs + 1, 1000)).toBe(0);
  });

  test("are due again when the heartbeat of their node has expired", async () => {
    const own = await makeServer(store);
    const [dead, living] = [aDelivery(own, { queue: "https://dead" }), aDelivery(own, { queue: "https://living" })];
    await store.callbacks.addDeliveries([dead, living]);
    await store.callbacks.queue.claim(aClaim([dead.queue], { lease: "00000000-dead/1" }));
    await other.sendHeartbeat(60_000);
    await otherStore.callbacks.queue.claim(aClaim([living.queue], { lease: `${other.id}/1` }));
    await other.releaseLeasesOfDeadNodes(epochMs);
    expect(await store.callbacks.queue.claim(aClaim([dead.queue, living.queue]))).toMatchObject([{ id: dead.id }]);
  });
}

function describeFaultRules(): void {
  test("apply on every node once they are stored, and are counted together", async () => {
    const own = await makeServer(store);
    for (const node of [one, other]) await node.sendHeartbeat(60_000);
    const occurrence: FaultOccurrence = {
      stage: "rcpt",
      clientAddress: "192.0.2.1",
      server: null,
      sender: "",
      recipients: [{ address: "a@b.example", server: own }],
      provider: null,
      userName: null,
    };
    const decide = async ({ faults }: Store): Promise<FaultDecision | null> =>
      (await faults.decideFault(occurrence, epochMs)) ?? null;
    expect(await decide(otherStore)).toBeNull();
    const rule: FaultRule = { name: "drop", match: { stage: "rcpt" }, when: { first: 2 }, then: { drop: true } };
    await store.faults.replaceFaults(own, [rule], { now: epochMs });
    const decisions = await Promise.all([otherStore, store, otherStore, store].map(decide));
    expect(decisions.filter((decision) => decision !== null)).toHaveLength(2);
    const [fault] = await otherStore.faults.listFaults(own);
    expect(fault?.state).toMatchObject({ seen: 4, hits: 2 });
  });
}

function describeReads(): void {
  test("return the latest sequence of every server that exists", async () => {
    const fresh = await makeServer(store);
    const sequences = await one.readSequences([fresh, newServerId()]);
    expect([...sequences]).toEqual([[fresh, 0]]);
  });

  test("return changes with their messages, folded recipients, and null for unknown values", async () => {
    const summaryJson = Buffer.from(JSON.stringify(recipients("Ann@Example.test")));
    const first = { ...draft(server, { subject: "one", body: "short" }), summaryJson };
    const long = { ...draft(server, { subject: "two", body: "x".repeat(100_000) }), summaryJson };
    for (const message of [first, long]) await store.addMessages([message]);
    await store.deleteMessage(first.id);
    const events = await one.readEvents(server, 0, 10);
    expect(events?.map(({ change }) => change.kind)).toEqual(["received", "received", "deleted"]);
    expect(events?.map(({ message }) => message)).toEqual([
      null,
      {
        from: null,
        provider: null,
        tag: null,
        providerId: null,
        to: ["ann@example.test"],
        subject: "two",
        body: null,
        summaryJson,
      },
      null,
    ]);
    expect(await one.readEvents(server, 3, 10)).toEqual([]);
    expect(await one.readEvents(server, 4, 10)).toBeUndefined();
  });

  describeReadMessages();
}

function describeReadMessages(): void {
  test("return the message of every id", async () => {
    const own = await makeServer(store);
    const summaryJson = Buffer.from(JSON.stringify(recipients("a@x.test")));
    const drafts = [0, 0x3ff, 0x400, 0x7ff, 0xbff, 0xc00, 0xffffffff].map((random) => ({
      ...draft(own, { random, subject: `id ${random}` }),
      summaryJson,
    }));
    await store.addMessages(drafts);
    const events = await other.readEvents(own, 0, 10);
    expect(events?.map(({ change, message }) => [change.id, message?.subject])).toEqual(
      drafts.map(({ id, keys }) => [id, keys.subject]),
    );
  });

  test.each([
    [99, 10],
    [4, 2000],
  ])(
    "return all of %d recipients with names of %d characters, null for more than a summary has",
    async (count, length) => {
      const own = await makeServer(store);
      const deliver = async (contactCount: number): Promise<readonly string[] | null | undefined> => {
        const contact = { name: "n".repeat(length), email: "a@x.test", phone: null };
        const summary = { to: Array.from({ length: contactCount }, () => contact), cc: [], bcc: [] };
        const message = { ...draft(own), summaryJson: Buffer.from(JSON.stringify(summary)) };
        const [outcome] = await store.addMessages([message]);
        const sequence = outcome?.outcome === "stored" ? outcome.sequence : 0;
        return (await one.readEvents(own, sequence - 1, 1))?.[0]?.message?.to;
      };
      expect(await deliver(count)).toHaveLength(count);
      expect(await deliver(count + 2)).toBeNull();
    },
  );

  test("return null for one recipient whose name of more than 8,000 characters a summary has cut", async () => {
    const own = await makeServer(store);
    const [contact] = summaryContacts([{ name: "n".repeat(9000), email: "a@x.test", phone: null }]);
    const summary = { to: [contact], cc: [], bcc: [] };
    await store.addMessages([{ ...draft(own), summaryJson: Buffer.from(JSON.stringify(summary)) }]);
    const events = await one.readEvents(own, 0, 1);
    expect(events?.map(({ message }) => message?.to)).toEqual([null]);
  });
}

function describeLeases(): void {
  test("is held by one node until it is released or expires", async () => {
    expect([await one.hold("sweep", 60_000), await other.hold("sweep", 60_000)]).toEqual([true, false]);
    expect(await one.hold("sweep", 60_000)).toBe(true);
    expect(await other.hold("something else", 60_000)).toBe(true);
    await other.release("sweep");
    expect(await other.hold("sweep", 60_000)).toBe(false);
    await one.release("sweep");
    expect(await other.hold("sweep", 1)).toBe(true);
    await expect.poll(() => one.hold("sweep", 60_000)).toBe(true);
  });

  test("is granted to one node when several request it at the same time", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other).hold("raced", 60_000)),
    );
    const holders = new Set(results.flatMap((holds, index) => (holds ? [index % 2] : [])));
    expect(holders.size).toBe(1);
  });
}
