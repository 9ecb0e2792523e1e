import { expect, test } from "vitest";
import { encodeMessageId, type ServerId } from "../../core/ids.ts";
import type { NewScheduledMessage } from "../scheduled-message-store.ts";
import type { Store } from "../store.ts";
import { draft, epochMs, page, unkeyed } from "./drafts.ts";
import { expectProblem, makeServer, useEmptiedStore, useStore, type OpenStore } from "./setup.ts";

const ample = { countMax: 1000, bytesMax: 2 ** 30 };
const dueAt = epochMs + 10_000;
let made = 0;

function aHeld(server: ServerId, fields: Partial<NewScheduledMessage> = {}): NewScheduledMessage {
  made += 1;
  const id = encodeMessageId({ server, direction: "Received", receivedAt: epochMs + made, random: 8192 });
  return {
    id,
    sendAt: dueAt,
    acceptedAt: epochMs,
    json: "{}",
    raw: Buffer.from("Subject: x\r\n\r\n"),
    ...fields,
  };
}

/** Held messages: quota, release, and deletion with the content of their server. */
export function describeHeldMessages(open: OpenStore): void {
  const store = useStore(open);
  const withServer = async (): Promise<{
    readonly own: Store;
    readonly server: ServerId;
  }> => {
    return { own: store(), server: await makeServer(store()) };
  };
  const emptied = useEmptiedStore(open);
  /** Returns a store without other messages, for tests that claim or count them. */
  const withOwnStore = async (): Promise<{
    readonly own: Store;
    readonly server: ServerId;
  }> => {
    const { store: own } = emptied();
    return { own, server: await makeServer(own) };
  };
  const claim = { now: dueAt, leaseEndsAt: dueAt + 1000, lease: "lease", keys: unkeyed(10) };

  test("returns when a message was accepted, and counts what is held", async () => {
    const { own, server } = await withOwnStore();
    const [late, early] = [aHeld(server), aHeld(server, { sendAt: dueAt - 5, json: '{"é":1}' })];
    const scheduled = aHeld(server, { acceptedAt: null });
    await own.scheduledMessages.addScheduledMessages([late, early, scheduled], ample);
    expect(await own.scheduledMessages.getScheduledMessage(early.id)).toMatchObject({ acceptedAt: epochMs });
    expect(await own.scheduledMessages.measureHeldMessages(server)).toEqual({ messages: 2, bytes: 28 + 2 + 8 });
    expect((await own.statistics()).heldMessageCount).toBe(2);
    expect((await own.listMessages(server, page())).count).toBe(0);
  });

  test("lists what a server holds by pages, the next one first, until it begins to arrive", async () => {
    const { own, server } = await withOwnStore();
    const other = await makeServer(own);
    const [late, next, first] = [20, 10, 0].map((after) => aHeld(server, { sendAt: dueAt + after }));
    if (late === undefined || next === undefined || first === undefined) throw new Error("three messages expected");
    const others = [aHeld(other), aHeld(server, { acceptedAt: null })];
    await own.scheduledMessages.addScheduledMessages([late, next, first, ...others], ample);
    const idsOf = async (at: number): Promise<unknown> => {
      const { messages, hasMore } = await own.scheduledMessages.listHeldMessages(server, at, 2);
      return [messages.map(({ id }) => id), hasMore];
    };
    expect(await idsOf(0)).toEqual([[first.id, next.id], true]);
    expect(await idsOf(1)).toEqual([[late.id], false]);
    expect(await idsOf(2)).toEqual([[], false]);
    await own.scheduledMessages.queue.claim({ ...claim, keys: unkeyed(100) });
    const ids = [encodeMessageId({ server, direction: "Received", receivedAt: dueAt, random: 1 })];
    await own.scheduledMessages.beginArrival(first.id, claim.lease, ids);
    expect(await idsOf(0)).toEqual([[next.id, late.id], false]);
    await own.emptyServer(server);
    expect(await idsOf(0)).toEqual([[], false]);
  });

  test("is neither cancelled nor changed by its sender", async () => {
    const { own, server } = await withOwnStore();
    const held = aHeld(server);
    await own.scheduledMessages.addScheduledMessages([held], ample);
    expect(await own.scheduledMessages.cancelScheduledMessage(held.id)).toBe(false);
    expect(await own.scheduledMessages.rescheduleMessage(held.id, dueAt + 1)).toBe(false);
    expect(await own.scheduledMessages.queue.claim(claim)).toMatchObject([
      { id: held.id, acceptedAt: epochMs, isDeleted: false },
    ]);
  });

  test("is withdrawn until its arrival begins; scheduled messages are not", async () => {
    const { own, server } = await withOwnStore();
    const [one, begun, scheduled] = [
      aHeld(server),
      aHeld(server, { sendAt: epochMs }),
      aHeld(server, { acceptedAt: null }),
    ];
    await own.scheduledMessages.addScheduledMessages([one, begun, scheduled], ample);
    await own.scheduledMessages.queue.claim({ ...claim, now: epochMs });
    await own.scheduledMessages.beginArrival(begun.id, "lease", [begun.id]);
    await own.scheduledMessages.withdrawHeldMessages([one.id, begun.id, scheduled.id]);
    expect(await own.scheduledMessages.getScheduledMessage(one.id)).toBeUndefined();
    expect((await own.scheduledMessages.queue.countPending()).count).toBe(2);
  });

  test.each(["emptyServer", "deleteServer"] as const)(
    "is deleted by %s, at once and to the last byte",
    async (name) => {
      const { own, server } = await withOwnStore();
      const elsewhere = await makeServer(own);
      const other = aHeld(elsewhere);
      const [held, scheduled] = [aHeld(server), aHeld(server, { acceptedAt: null })];
      await own.scheduledMessages.addScheduledMessages([held, scheduled, other], ample);
      await own[name](server);
      const { scheduledMessages: messages } = own;
      expect(await messages.getScheduledMessage(held.id)).toBeUndefined();
      expect(await messages.getScheduledRaw(held.id)).toBeUndefined();
      expect(await messages.measureHeldMessages(server)).toEqual({ messages: 0, bytes: 0 });
      expect(await messages.getScheduledMessage(scheduled.id)).toBeDefined();
      expect(await messages.queue.claim({ ...claim, now: epochMs })).toMatchObject([{ id: held.id, isDeleted: true }]);
      await messages.queue.record([{ id: held.id, lease: "lease", dueAt: null }]);
      expect((await messages.queue.countPending()).count).toBe(2);
      expect(await messages.measureHeldMessages(elsewhere)).toMatchObject({ messages: 1 });
    },
  );

  test("ends the lease of an arrival when its server is emptied", async () => {
    const { own, server } = await withOwnStore();
    const held = aHeld(server);
    await own.scheduledMessages.addScheduledMessages([held], ample);
    await own.scheduledMessages.queue.claim(claim);
    await own.emptyServer(server);
    expect(await own.scheduledMessages.beginArrival(held.id, "lease", [held.id])).toBe(false);
  });

  test("is not stored for a server that does not exist", async () => {
    const { own, server } = await withServer();
    await own.deleteServer(server);
    await expectProblem(own.scheduledMessages.addScheduledMessages([aHeld(server)], ample), "recipient_unknown");
    expect(await own.scheduledMessages.addScheduledMessages([aHeld(server, { acceptedAt: null })], ample)).toBe(true);
  });

  test("counts towards the quota of its server, with the messages that it has", async () => {
    const { own, server } = await withServer();
    await own.updateServer(server, { quota: { messages: 3, bytes: null } });
    const add = async (...messages: readonly NewScheduledMessage[]): Promise<boolean> =>
      own.scheduledMessages.addScheduledMessages(messages, ample);
    await own.addMessages([draft(server)]);
    await expectProblem(add(aHeld(server), aHeld(server), aHeld(server)), "quota_exceeded");
    await add(aHeld(server));
    await own.addMessages([draft(server)]);
    await expectProblem(own.addMessages([draft(server)]), "quota_exceeded");
    await expectProblem(add(aHeld(server)), "quota_exceeded");
    await add(aHeld(server, { acceptedAt: null }));
    await own.emptyServer(server);
    await own.addMessages([draft(server), draft(server), draft(server)]);
  });

  test("counts its bytes towards the quota of its server", async () => {
    const { own, server } = await withServer();
    const message = draft(server);
    const bytes = message.raw.length + message.detailJson.length;
    await own.updateServer(server, {
      quota: { messages: null, bytes: bytes + 100 },
    });
    const raw = Buffer.alloc(99);
    await expectProblem(
      own.scheduledMessages.addScheduledMessages([aHeld(server, { raw: Buffer.alloc(bytes + 99) })], ample),
      "quota_exceeded",
    );
    await own.scheduledMessages.addScheduledMessages([aHeld(server, { raw })], ample);
    await expectProblem(own.addMessages([message]), "quota_exceeded");
  });
}
