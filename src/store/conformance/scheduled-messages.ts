import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { encodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { WorkClaim } from "../leased-queue.ts";
import type { NewScheduledMessage, ScheduleLimits } from "../scheduled-message-store.ts";
import { epochMs, unkeyed } from "./drafts.ts";
import { expectProblem, makeServer, useEmptiedStore, useStore, type OpenStore } from "./setup.ts";

const ample: ScheduleLimits = { countMax: 1000, bytesMax: 2 ** 30 };
let made = 0;

function anEmail(server: ServerId, fields: Partial<NewScheduledMessage> = {}): NewScheduledMessage {
  made += 1;
  const id = encodeMessageId({ server, direction: "Received", receivedAt: epochMs + made, random: 4096 });
  return {
    id,
    sendAt: epochMs + 1000,
    acceptedAt: null,
    json: '{"a":"\\u0000\\\\"}',
    raw: Buffer.from("Subject: x\r\n\r\n"),
    ...fields,
  };
}

const aClaim = (fields: Partial<WorkClaim> = {}): WorkClaim => {
  return { now: epochMs + 1000, leaseEndsAt: epochMs + 2000, lease: "lease", keys: unkeyed(10), ...fields };
};

/** Scheduled mails: content, leases, and races of arrival, cancellation and changes. */
export function describeScheduledMessages(open: OpenStore): void {
  const store = useStore(open);
  const emptied = useEmptiedStore(open);
  /** Returns a store that has only one mail, which is due. */
  const withOne = async (fields: Partial<NewScheduledMessage> = {}) => {
    const { store: own } = emptied();
    const email = anEmail(await makeServer(own), fields);
    await own.scheduledMessages.addScheduledMessages([email], ample);
    return { scheduled: own.scheduledMessages, own, email, message: [email.id] as readonly MessageId[] };
  };

  test.each([0, 1, 1024 * 1024, 3 * 1024 * 1024 + 5])("keeps a raw mail of %i bytes", async (size) => {
    const raw = randomBytes(size);
    const { scheduled, email } = await withOne({ raw });
    expect(Buffer.compare((await scheduled.getScheduledRaw(email.id)) ?? Buffer.from([1]), raw)).toBe(0);
    const { id, sendAt, json } = email;
    expect(await scheduled.getScheduledMessage(id)).toEqual({
      id,
      sendAt,
      acceptedAt: null,
      json,
      messages: null,
      rawBytes: size,
      quarantinedAt: null,
    });
    expect(await scheduled.cancelScheduledMessage(id)).toBe(true);
    expect(await scheduled.getScheduledRaw(id)).toBeUndefined();
  });

  test("keeps only the bytes of a mail that is part of a larger buffer", async () => {
    const raw = new Uint8Array(new ArrayBuffer(4096), 100, 10).fill(7);
    const { scheduled, email } = await withOne({ raw });
    expect(await scheduled.getScheduledRaw(email.id)).toEqual(new Uint8Array(10).fill(7));
    expect(raw).toEqual(new Uint8Array(10).fill(7));
  });

  test("stores all mails of a call, or none when an id is taken", async () => {
    const server = await makeServer(store());
    const [one, two] = [anEmail(server), anEmail(server)];
    expect(await store().scheduledMessages.addScheduledMessages([one], ample)).toBe(true);
    expect(await store().scheduledMessages.addScheduledMessages([two, one], ample)).toBe(false);
    expect(await store().scheduledMessages.getScheduledMessage(two.id)).toBeUndefined();
  });

  test("limits the mails and bytes of each server", async () => {
    const [server, other] = [await makeServer(store()), await makeServer(store())];
    const add = async (own: ServerId, size: number): Promise<boolean> =>
      store().scheduledMessages.addScheduledMessages([anEmail(own, { raw: randomBytes(size) })], {
        countMax: 2,
        bytesMax: 100,
      });
    await add(server, 60);
    await expectProblem(add(server, 41), "limit_reached");
    await add(server, 40);
    await expectProblem(add(server, 0), "limit_reached");
    expect(await add(other, 100)).toBe(true);
  });

  test("leases due mails, the longest due first, until the lease ends", async () => {
    const { scheduled, own, email } = await withOne({ sendAt: epochMs + 900 });
    const [early, late] = [
      anEmail(await makeServer(own), { sendAt: epochMs + 1 }),
      anEmail(await makeServer(own), { sendAt: epochMs + 5000 }),
    ];
    await scheduled.addScheduledMessages([late, early], ample);
    expect(await scheduled.queue.nextDueAt()).toBe(epochMs + 1);
    expect((await scheduled.queue.countPending()).count).toBe(3);
    expect(await scheduled.queue.claim(aClaim({ now: epochMs }))).toEqual([]);
    expect(await scheduled.queue.claim(aClaim({ keys: unkeyed(1) }))).toMatchObject([{ id: early.id, attempts: 1 }]);
    expect(await scheduled.queue.claim(aClaim())).toMatchObject([{ id: email.id }]);
    expect(await scheduled.queue.claim(aClaim())).toEqual([]);
    const again = await scheduled.queue.claim(aClaim({ now: epochMs + 2000 }));
    expect(new Map(again.map(({ id, attempts }) => [id, attempts]))).toEqual(
      new Map([early.id, email.id].map((id) => [id, 2])),
    );
  });

  test("begins an arrival only under the current lease", async () => {
    const { scheduled, email, message } = await withOne();
    await scheduled.queue.claim(aClaim());
    await scheduled.queue.claim(aClaim({ now: epochMs + 2000, leaseEndsAt: epochMs + 3000, lease: "second" }));
    expect(await scheduled.beginArrival(email.id, "lease", message)).toBe(false);
    expect(await scheduled.beginArrival(email.id, "second", message)).toBe(true);
    expect(await scheduled.getScheduledMessage(email.id)).toMatchObject({ messages: message });
    await scheduled.queue.record([{ id: email.id, lease: "lease", dueAt: null }]);
    expect(await scheduled.getScheduledMessage(email.id)).toBeDefined();
    await scheduled.queue.record([{ id: email.id, lease: "second", dueAt: null }]);
    expect(await scheduled.getScheduledMessage(email.id)).toBeUndefined();
    expect(await scheduled.queue.nextDueAt()).toBeNull();
  });

  test("keeps the ids of an arrival that was interrupted", async () => {
    const { scheduled, email, message } = await withOne();
    await scheduled.queue.claim(aClaim());
    await scheduled.beginArrival(email.id, "lease", message);
    await scheduled.queue.releaseLeases(epochMs + 1500);
    expect(await scheduled.queue.claim(aClaim({ now: epochMs + 1500 }))).toMatchObject([
      { id: email.id, messages: message, attempts: 2 },
    ]);
  });

  test("neither cancels nor changes a mail whose arrival has begun, until it is postponed", async () => {
    const { scheduled, email, message } = await withOne();
    await scheduled.queue.claim(aClaim());
    await scheduled.beginArrival(email.id, "lease", message);
    expect(await scheduled.cancelScheduledMessage(email.id)).toBe(false);
    expect(await scheduled.rescheduleMessage(email.id, epochMs + 9000)).toBe(false);
    await scheduled.queue.record([{ id: email.id, lease: "lease", dueAt: epochMs + 1700 }]);
    expect(await scheduled.queue.nextDueAt()).toBe(epochMs + 1700);
    expect(await scheduled.cancelScheduledMessage(email.id)).toBe(true);
    expect(await scheduled.cancelScheduledMessage(email.id)).toBe(false);
  });

  test("a change ends the lease", async () => {
    const { scheduled, email, message } = await withOne();
    await scheduled.queue.claim(aClaim());
    expect(await scheduled.rescheduleMessage(email.id, epochMs + 9000)).toBe(true);
    expect(await scheduled.beginArrival(email.id, "lease", message)).toBe(false);
    expect(await scheduled.getScheduledMessage(email.id)).toMatchObject({ sendAt: epochMs + 9000 });
    expect(await scheduled.queue.nextDueAt()).toBe(epochMs + 9000);
  });

  test("lets exactly one of arrival and cancellation win", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { scheduled, email, message } = await withOne();
      await scheduled.queue.claim(aClaim());
      const wins = await Promise.all([
        scheduled.beginArrival(email.id, "lease", message),
        scheduled.cancelScheduledMessage(email.id),
      ]);
      expect(wins.filter(Boolean)).toHaveLength(1);
    }
  });

  test("gives each mail to one of concurrent claims", async () => {
    const { store: own } = emptied();
    const server = await makeServer(own);
    await own.scheduledMessages.addScheduledMessages(
      Array.from({ length: 20 }, () => anEmail(server)),
      ample,
    );
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        own.scheduledMessages.queue.claim(aClaim({ lease: `l${n}`, keys: unkeyed(5) })),
      ),
    );
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
}
