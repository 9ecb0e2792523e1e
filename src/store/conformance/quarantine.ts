import { describe, expect, test } from "vitest";
import { encodeMessageId, type ServerId } from "../../core/ids.ts";
import {
  leasedQueues,
  quarantineReason,
  type LeasedQueueName,
  deathCountMax,
  suspectCountMax,
} from "../../core/quarantine.ts";
import type { LeasedQueue } from "../leased-queue.ts";
import type { Store } from "../store.ts";
import { aDelivery, anOutcome } from "./callback-drafts.ts";
import { anEntry, draft, epochMs, unkeyed } from "./drafts.ts";
import { makeServer, withStore, type OpenStore } from "./setup.ts";

/** One queue as the tests use it; instants are milliseconds after the epoch of the tests. */
interface QueueUnderTest {
  /** Adds a piece of work that is due at once; returns its id. */
  readonly add: (at: number) => Promise<string>;
  /** Claims due work for 100 ms; returns the ids. */
  readonly claim: (at: number) => Promise<readonly string[]>;
  /** Records that work which was claimed at `at` failed and is due again at once. */
  readonly fail: (id: string, at: number) => Promise<unknown>;
  readonly forgive: LeasedQueue<never, never>["forgiveClaims"];
}

const countMax = 100;
const leaseMs = 100;
let made = 0;

function queuesOf(store: Store, server: ServerId): Readonly<Record<LeasedQueueName, QueueUnderTest>> {
  const span = (at: number) => ({
    now: epochMs + at,
    leaseEndsAt: epochMs + at + leaseMs,
    lease: `at ${at}`,
    keys: unkeyed(countMax),
  });
  const again = (id: string, at: number) => [{ id, lease: `at ${at}`, dueAt: epochMs + at }];
  return {
    outbox: {
      forgive: async (ids) => await store.outbox.queue.forgiveClaims(ids),
      add: async (at) => {
        const message = draft(server, { direction: "Sent" });
        const entry = anEntry({ message: message.id, at: epochMs + at });
        await store.addMessages([message], { entries: [entry] });
        return entry.id;
      },
      claim: async (at) => (await store.outbox.queue.claim(span(at))).map(({ id }) => id),
      fail: async (entry, at) => {
        const now = epochMs + at;
        const outcome = { status: "Queued", dueAt: now, lastError: "busy", at: now } as const;
        return await store.outbox.queue.record([{ id: entry, lease: `at ${at}`, ...outcome }]);
      },
    },
    deliveries: {
      forgive: async (ids) => await store.callbacks.queue.forgiveClaims(ids),
      add: async (at) => {
        const delivery = aDelivery(server, { dueAt: epochMs + at });
        await store.callbacks.addDeliveries([delivery]);
        return delivery.id;
      },
      claim: async (at) => {
        const keys = [{ key: aDelivery(server).queue, limit: countMax }];
        return (await store.callbacks.queue.claim({ ...span(at), keys })).map(({ id }) => id);
      },
      fail: async (delivery, at) =>
        await store.callbacks.queue.record([
          anOutcome(delivery, { lease: `at ${at}`, status: "Pending", dueAt: epochMs + at }),
        ]),
    },
    scans: {
      forgive: async (ids) => await store.scanners.queue.forgiveClaims(ids),
      add: async (at) => {
        const message = draft(server);
        await store.addMessages([message], { scans: [{ message: message.id, dueAt: epochMs + at }] });
        return message.id;
      },
      claim: async (at) =>
        (await store.scanners.queue.claim({ ...span(at), keys: [{ key: server, limit: countMax }] })).map(
          ({ id }) => id,
        ),
      fail: async (id, at) => {
        await store.scanners.queue.record(again(id, at));
      },
    },
    scheduled: {
      forgive: async (ids) => await store.scheduledMessages.queue.forgiveClaims(ids),
      add: async (at) => {
        made += 1;
        const id = encodeMessageId({ server, direction: "Received", receivedAt: epochMs + made, random: 4096 });
        const email = { id, sendAt: epochMs + at, acceptedAt: null, json: "{}", raw: Buffer.from("x") };
        await store.scheduledMessages.addScheduledMessages([email], { countMax: 1000, bytesMax: 1000 });
        return id;
      },
      claim: async (at) => (await store.scheduledMessages.queue.claim(span(at))).map(({ id }) => id),
      fail: async (id, at) => {
        await store.scheduledMessages.queue.record(again(id, at));
      },
    },
    reparses: {
      forgive: async (ids) => await store.reparses.queue.forgiveClaims(ids),
      add: async (at) => {
        const message = draft(server);
        await store.addMessages([message], { reparseAt: epochMs + at });
        return message.id;
      },
      claim: async (at) => (await store.reparses.queue.claim(span(at))).map(({ id }) => id),
      fail: async (id, at) => {
        await store.reparses.queue.record(again(id, at));
      },
    },
  };
}

/** Quarantine: the same rule for each leased queue. */
export function describeQuarantine(open: OpenStore): void {
  const opened = withStore(open);
  const onQueue = async (
    queue: LeasedQueueName,
    body: (under: QueueUnderTest, store: Store) => Promise<void>,
  ): Promise<void> => {
    await opened(async ({ store }) => {
      await body(queuesOf(store, await makeServer(store))[queue], store);
    });
  };
  const quarantineAt = async (store: Store, at: number) => await store.quarantine.quarantineDue(epochMs + at);
  /** Claims without an outcome until the work has died too often; returns the instant at which it is due then. */
  const die = async ({ claim }: QueueUnderTest, id: string): Promise<number> => {
    for (let death = 0; death < deathCountMax; death += 1) expect(await claim(death * leaseMs)).toEqual([id]);
    return deathCountMax * leaseMs;
  };

  describe.each(leasedQueues)("quarantine of %s", (queue) => {
    test("keeps work whose claims have died twice from claims, until it is released", async () => {
      await onQueue(queue, async (under, store) => {
        const id = await under.add(0);
        const at = await die(under, id);
        expect(await quarantineAt(store, at - 1)).toEqual([]);
        expect(await under.claim(at)).toEqual([]);
        const quarantined = { queue, id, attempts: deathCountMax, quarantinedAt: epochMs + at };
        expect(await quarantineAt(store, at)).toMatchObject([quarantined]);
        expect(await quarantineAt(store, at)).toEqual([]);
        expect(await store.quarantine.listQuarantined()).toMatchObject([quarantined]);
        expect(await store.quarantine.countQuarantined()).toMatchObject({ [queue]: 1 });
        expect(await under.claim(at + 1e9)).toEqual([]);
        expect(await store.quarantine.releaseQuarantined(queue, [id, "none"], epochMs + at)).toBe(1);
        expect(await store.quarantine.releaseQuarantined(queue, [id], epochMs + at)).toBe(0);
        expect(await store.quarantine.listQuarantined()).toEqual([]);
        expect(await under.claim(at)).toEqual([id]);
      });
    });

    test("counts deaths anew after each outcome", async () => {
      await onQueue(queue, async (under, store) => {
        const id = await under.add(0);
        expect(await under.claim(0)).toEqual([id]);
        expect(await under.claim(leaseMs)).toEqual([id]);
        await under.fail(id, leaseMs);
        expect(await quarantineAt(store, leaseMs)).toEqual([]);
        expect(await under.claim(leaseMs)).toEqual([id]);
        expect(await under.claim(2 * leaseMs)).toEqual([id]);
      });
    });

    test("does not count claims whose claimant is alive", async () => {
      await onQueue(queue, async (under) => {
        const id = await under.add(0);
        for (let at = 0; at < 5 * leaseMs; at += leaseMs) {
          expect(await under.claim(at)).toEqual([id]);
          await under.forgive([id]);
        }
      });
    });

    test("claims few suspects at the same time, beside other work", async () => {
      await onQueue(queue, async (under) => {
        const suspects: string[] = [];
        for (let count = 0; count < suspectCountMax + 2; count += 1) suspects.push(await under.add(0));
        expect(new Set(await under.claim(0))).toEqual(new Set(suspects));
        const innocent = await under.add(leaseMs);
        const first = await under.claim(leaseMs);
        expect([first.length, first.includes(innocent)]).toEqual([suspectCountMax + 1, true]);
        expect(await under.claim(leaseMs)).toEqual([]);
        for (const id of first) await under.fail(id, leaseMs);
        const late = suspects.filter((id) => !first.includes(id));
        expect((await under.claim(leaseMs)).filter((id) => late.includes(id)).toSorted()).toEqual(late.toSorted());
      });
    });
  });

  test("shows quarantined deliveries with the reason, and replays them", async () => {
    await opened(async ({ store }) => {
      const server = await makeServer(store);
      const { deliveries } = queuesOf(store, server);
      const id = await deliveries.add(0);
      const at = await die(deliveries, id);
      await quarantineAt(store, at);
      const filter = {
        target: null,
        message: null,
        status: "Quarantined",
        type: null,
        since: null,
        before: null,
      } as const;
      const [shown] = await store.callbacks.listDeliveries(server, filter, { offset: 0, limit: 10 });
      expect([shown?.id, shown?.nextAttemptAt, shown?.attempts.at(-1)?.error]).toEqual([id, null, quarantineReason]);
      expect(await store.callbacks.queue.nextDueAt()).toBeNull();
      expect(await store.callbacks.replayDeliveries([id], epochMs + at)).toBe(1);
      expect(await store.quarantine.listQuarantined()).toEqual([]);
      expect(await deliveries.claim(at)).toEqual([id]);
      expect((await store.callbacks.getCallbackDelivery(id))?.attempts).toEqual([]);
    });
  });

  test("shows the reason as the last error of a message, until the entry is released", async () => {
    await opened(async ({ store }) => {
      const server = await makeServer(store);
      const { outbox } = queuesOf(store, server);
      const id = await outbox.add(0);
      const at = await die(outbox, id);
      const [work] = await quarantineAt(store, at);
      const message = work?.message ?? undefined;
      if (message === undefined) throw new Error("the work has no message");
      expect(await store.outbox.getDelivery(message)).toMatchObject({ status: "Failed", lastError: quarantineReason });
      await store.quarantine.releaseQuarantined("outbox", [id], epochMs + at);
      expect(await store.outbox.getDelivery(message)).toMatchObject({ status: "Queued", lastError: null });
    });
  });

  test("lists a quarantined held message, also when its arrival has begun", async () => {
    await opened(async ({ store }) => {
      const server = await makeServer(store);
      const { scheduled } = queuesOf(store, server);
      const id = encodeMessageId({ server, direction: "Received", receivedAt: epochMs, random: 4097 });
      const held = { id, sendAt: epochMs, acceptedAt: epochMs, json: "{}", raw: Buffer.from("x") };
      await store.scheduledMessages.addScheduledMessages([held], { countMax: 1000, bytesMax: 1000 });
      const list = async () => (await store.scheduledMessages.listHeldMessages(server, 0, 10)).messages;
      expect(await list()).toMatchObject([{ id, quarantinedAt: null }]);
      const at = await die(scheduled, id);
      await store.scheduledMessages.beginArrival(id, `at ${at - leaseMs}`, [id]);
      expect(await list()).toEqual([]);
      await quarantineAt(store, at);
      expect(await list()).toMatchObject([{ id, quarantinedAt: epochMs + at }]);
    });
  });

  test("does not count an attempt that ended its worker as an outcome", async () => {
    await opened(async ({ store }) => {
      const { deliveries } = queuesOf(store, await makeServer(store));
      const id = await deliveries.add(0);
      for (const at of [0, 1]) {
        expect(await deliveries.claim(at)).toEqual([id]);
        const outcome = { lease: `at ${at}`, status: "Pending", dueAt: epochMs + at + 1, isDeath: true } as const;
        await store.callbacks.queue.record([anOutcome(id, outcome)]);
      }
      expect(await quarantineAt(store, 2)).toMatchObject([{ queue: "deliveries", id }]);
    });
  });
}
