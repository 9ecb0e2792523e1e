import fc from "fast-check";
import { expect, test } from "vitest";
import { takeWork, deathCountMax } from "../../core/quarantine.ts";
import type { ServerId } from "../../core/ids.ts";
import type { CallbackStatus, CallbackStore, StoredDelivery, TargetState } from "../callback-store.ts";
import type { Store } from "../store.ts";
import { addTarget, aDelivery, anAttempt, anOutcome, anyDelivery, listDeliveries } from "./callback-drafts.ts";
import { epochMs } from "./drafts.ts";
import { makeServer, useStore, type OpenStore } from "./setup.ts";

interface Entry {
  readonly id: string;
  readonly queue: string;
  readonly target: string | null;
  readonly createdAt: number;
  status: CallbackStatus;
  dueAt: number | null;
  claimedDueAt: number;
  lease: string | null;
  attemptCount: number;
  openClaims: number;
  scheduleStep: number;
  attempts: number[];
  hasContent: boolean;
}

/** Reference implementation of deliveries: an array in the order of storage. */
class Model {
  now = epochMs;
  readonly states = new Map<string, TargetState>();
  readonly queues: string[] = [];
  entries: Entry[] = [];

  isActive(queue: string): boolean {
    return (this.states.get(queue) ?? "active") === "active";
  }

  pending(): readonly (Entry & { dueAt: number })[] {
    return this.entries.filter((entry): entry is Entry & { dueAt: number } => {
      return entry.dueAt !== null && this.isActive(entry.queue);
    });
  }

  leased(delivery: string, lease: string): Entry | undefined {
    return this.entries.find((entry) => entry.id === delivery && entry.lease === lease);
  }

  claim(queue: string, limit: number, { lease, leaseEndsAt }: { lease: string; leaseEndsAt: number }): Entry[] {
    const own = this.pending().filter((entry) => entry.queue === queue);
    const isForeign = (entry: Entry) => entry.lease !== null && nodeOf(entry.lease) !== nodeOf(lease);
    const isTaken = nodeOf(lease) !== "" && own.some((entry) => isForeign(entry) && entry.dueAt > this.now);
    if (isTaken) return [];
    const due = own
      .filter(({ dueAt, openClaims }) => dueAt <= this.now && openClaims < deathCountMax)
      .toSorted((a, b) => a.dueAt - b.dueAt);
    const isSuspect = ({ openClaims, dueAt }: Entry) => openClaims >= deathCountMax && (dueAt ?? 0) > this.now;
    const taken = takeWork(due.slice(0, limit), this.entries.filter(isSuspect).length);
    for (const entry of taken) {
      Object.assign(entry, { claimedDueAt: entry.dueAt, dueAt: leaseEndsAt, lease });
      entry.attemptCount += 1;
      entry.openClaims += 1;
      entry.scheduleStep += 1;
    }
    return [...taken];
  }
}

function nodeOf(lease: string): string {
  return lease.includes("/") ? (lease.split("/")[0] ?? "") : "";
}

interface Real {
  readonly callbacks: CallbackStore;
  readonly store: Store;
  readonly server: ServerId;
}

type Command = fc.AsyncCommand<Model, Real>;

/** Returns a command that compares everything that the store returns with the model afterwards. */
function command(description: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    toString: () => description,
    run: async (model, real) => {
      await run(model, real);
      await compare(model, real);
    },
  };
}

async function compare(model: Model, { callbacks, store, server }: Real): Promise<void> {
  const listed = await listDeliveries(store, server);
  expect(listed.toReversed().map(visible)).toEqual(model.entries.map(expected));
  const pending = model.pending();
  const first = (queue: string) => Math.min(...pending.filter((one) => one.queue === queue).map(({ dueAt }) => dueAt));
  const due = [...new Set(pending.map(({ queue }) => queue))].filter((queue) => first(queue) <= model.now);
  const dueQueues = await callbacks.queue.listDueKeys(model.now, 100);
  expect(dueQueues).toEqual(due.toSorted((a, b) => first(a) - first(b) || (a < b ? -1 : 1)));
  const next = pending.length === 0 ? null : Math.min(...pending.map(({ dueAt }) => dueAt));
  expect(await callbacks.queue.nextDueAt()).toBe(next);
  expect(await callbacks.queue.countPending()).toEqual({ count: pending.length, oldestDueAt: next });
}

function visible({ id, status, nextAttemptAt, attemptCount, scheduleStep, attempts, content }: StoredDelivery) {
  const numbers = attempts.map(({ number }) => number);
  return { id, status, nextAttemptAt, attemptCount, scheduleStep, numbers, hasContent: content !== null };
}

function expected({ id, status, dueAt, attemptCount, scheduleStep, attempts, hasContent }: Entry) {
  return { id, status, nextAttemptAt: dueAt, attemptCount, scheduleStep, numbers: attempts, hasContent };
}

function pickOf<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items[pick % Math.max(1, items.length)];
}

const add = (queuePicks: readonly number[], delayMs: number): Command =>
  command(`add ${queuePicks.join()} in ${delayMs} ms`, async (model, { callbacks, server }) => {
    const deliveries = queuePicks.map((pick) => {
      const queue = pickOf(model.queues, pick) ?? "";
      const target = model.states.has(queue) ? queue : null;
      return aDelivery(server, { target, queue, dueAt: model.now + delayMs, createdAt: model.now });
    });
    await callbacks.addDeliveries([...deliveries, ...deliveries.slice(0, 1)]);
    for (const { id, queue, target, createdAt, dueAt } of deliveries) {
      const counts = { attemptCount: 0, openClaims: 0, scheduleStep: 0, attempts: [], hasContent: true };
      model.entries.push({
        id,
        queue,
        target,
        createdAt,
        status: "Pending",
        dueAt,
        claimedDueAt: 0,
        lease: null,
        ...counts,
      });
    }
  });

const claim = (lease: string, limit: number): Command =>
  command(`claim ${limit} as ${lease}`, async (model, { callbacks }) => {
    const leaseEndsAt = model.now + 100;
    const keys = model.queues.map((key) => ({ key, limit }));
    const claimed = await callbacks.queue.claim({ now: model.now, leaseEndsAt, lease, keys });
    const wanted = keys.flatMap(({ key }) => model.claim(key, limit, { lease, leaseEndsAt }));
    expect(claimed.map(visible)).toEqual(wanted.map(expected));
  });

const record = (pick: number, lease: string, status: "Pending" | "Delivered" | "Failed"): Command =>
  command(`record ${status} of ${pick} as ${lease}`, async (model, { callbacks }) => {
    const id = pickOf(model.entries, pick)?.id ?? "none";
    const entry = model.leased(id, lease);
    const dueAt = status === "Pending" ? model.now + 50 : null;
    const attempt = anAttempt({ number: entry?.attemptCount ?? 1 });
    const outcomes = [anOutcome(id, { lease, status, dueAt, attempt })];
    expect(await callbacks.queue.record(outcomes)).toEqual([entry === undefined ? undefined : { sequence: null }]);
    if (entry !== undefined)
      Object.assign(entry, { status, dueAt, lease: null, openClaims: 0 }).attempts.push(attempt.number);
  });

const extend = (pick: number, lease: string): Command =>
  command(`extend ${pick} as ${lease}`, async (model, { callbacks }) => {
    const delivery = pickOf(model.entries, pick)?.id ?? "none";
    await callbacks.queue.extendLeases([{ id: delivery, lease }], model.now + 200);
    const entry = model.leased(delivery, lease);
    if (entry !== undefined) entry.dueAt = model.now + 200;
  });

const undo = (pick: number, lease: string): Command =>
  command(`return ${pick} as ${lease}`, async (model, { callbacks }) => {
    const delivery = pickOf(model.entries, pick)?.id ?? "none";
    await callbacks.queue.returnClaims([{ id: delivery, lease }]);
    const entry = model.leased(delivery, lease);
    if (entry === undefined) return;
    const { attemptCount, scheduleStep, openClaims } = entry;
    const counts = { attemptCount: attemptCount - 1, scheduleStep: scheduleStep - 1, openClaims: openClaims - 1 };
    Object.assign(entry, { dueAt: entry.claimedDueAt, lease: null, ...counts });
  });

const setState = (pick: number, state: TargetState): Command =>
  command(`make target ${pick} ${state}`, async (model, { callbacks }) => {
    const id = pickOf([...model.states.keys()], pick) ?? "none";
    const before = model.states.get(id);
    const updated = await callbacks.updateTarget(id, { state }, { now: model.now });
    expect(updated?.state).toBe(before === undefined ? undefined : state);
    if (before === undefined) return;
    model.states.set(id, state);
    const waiting = model.pending().filter((entry) => entry.queue === id && entry.lease === null);
    if (before !== "active") for (const entry of waiting) entry.dueAt = Math.min(entry.dueAt, model.now);
  });

const removeTarget = (): Command =>
  command("remove a target", async (model, { callbacks }) => {
    const [id = "none"] = model.states.keys();
    expect(await callbacks.removeTarget(id)).toBe(model.states.delete(id));
    model.entries = model.entries.filter(({ target }) => target !== id);
    model.queues.splice(0, model.queues.length, ...model.queues.filter((queue) => queue !== id));
  });

const replay = (status: CallbackStatus | null, limit: number): Command =>
  command(`replay ${limit} of ${status ?? "any"}`, async (model, { callbacks, server }) => {
    const isMatch = (entry: Entry) => entry.dueAt === null && entry.hasContent && [null, entry.status].includes(status);
    const matching = model.entries.filter(isMatch).slice(0, limit);
    const filter = { ...anyDelivery, status };
    expect(await callbacks.replayMatching(server, filter, { now: model.now, limit })).toBe(matching.length);
    const replayed = { status: "Pending", dueAt: model.now, scheduleStep: 0, openClaims: 0 };
    for (const entry of matching) Object.assign(entry, replayed);
  });

const erase = (pick: number): Command =>
  command(`erase ${pick}`, async (model, { callbacks }) => {
    const entry = pickOf(model.entries, pick);
    expect(await callbacks.eraseDelivery(entry?.id ?? "none")).toBe(entry !== undefined);
    if (entry === undefined) return;
    const status = entry.status === "Pending" ? "Cancelled" : entry.status;
    Object.assign(entry, { status, dueAt: null, lease: null, openClaims: 0, hasContent: false });
  });

const removeOld = (ageMs: number): Command =>
  command(`remove what is older than ${ageMs} ms`, async (model, { callbacks }) => {
    const before = model.now - ageMs;
    const isRemoved = ({ createdAt, dueAt, queue }: Entry) =>
      createdAt < before && (dueAt === null || !model.isActive(queue));
    const kept = model.entries.filter((entry) => !isRemoved(entry));
    // Deliveries of removed targets may count too until they are purged.
    const count = await callbacks.removeDeliveries(before, 1000);
    expect(count).toBeGreaterThanOrEqual(model.entries.length - kept.length);
    model.entries = kept;
  });

const advance = (ms: number): Command =>
  command(`advance ${ms} ms`, async (model) => {
    model.now += ms;
    await Promise.resolve();
  });

/** Deliveries compared with a model after every one of random calls. */
export function describeCallbackModel(open: OpenStore): void {
  const store = useStore(open);
  const pick = fc.nat(30);
  const lease = fc.constantFrom("a/1", "a/2", "b/1", "single");
  const added = fc
    .tuple(fc.array(pick, { maxLength: 4 }), fc.constantFrom(0, 0, 70))
    .map(([picks, ms]) => add(picks, ms));
  const claimed = fc.tuple(lease, fc.integer({ min: 1, max: 3 })).map(([name, limit]) => claim(name, limit));
  const recorded = fc
    .tuple(pick, lease, fc.constantFrom("Pending", "Delivered", "Failed"))
    .map(([place, name, status]) => record(place, name, status));
  const commands = fc.commands(
    [
      added,
      added,
      claimed,
      claimed,
      claimed,
      recorded,
      recorded,
      recorded,
      fc.tuple(pick, lease).map(([place, name]) => extend(place, name)),
      fc.tuple(pick, lease).map(([place, name]) => undo(place, name)),
      fc.tuple(pick, fc.constantFrom("active", "paused", "disabled")).map(([place, state]) => setState(place, state)),
      fc.constant(removeTarget()),
      fc
        .tuple(fc.constantFrom("Delivered", "Failed", "Cancelled", null), fc.integer({ min: 1, max: 3 }))
        .map(([status, limit]) => replay(status, limit)),
      pick.map(erase),
      fc.constantFrom(0, 60).map(removeOld),
      fc.constantFrom(1, 40, 100).map(advance),
    ],
    { maxCommands: 60, size: "max" },
  );

  test("matches the model for any sequence of calls", { timeout: 120_000 }, async () => {
    const runs = fc.asyncProperty(commands, async (sequence) => {
      const server = await makeServer(store());
      const targets = [await addTarget(store(), server), await addTarget(store(), server)].map(({ id }) => id);
      const model = new Model();
      for (const id of targets) model.states.set(id, "active");
      model.queues.push("https://one.example", ...targets, "https://two.example");
      const real = { callbacks: store().callbacks, store: store(), server };
      try {
        await fc.asyncModelRun(() => ({ model, real }), sequence);
      } finally {
        await store().deleteServer(server);
      }
    });
    await fc.assert(runs, { numRuns: 20 });
  });
}
