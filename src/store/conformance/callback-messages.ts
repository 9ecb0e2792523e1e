import { expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import type { NewDelivery } from "../callback-store.ts";
import { aClaim, aDelivery, addTarget, anAttempt, anOutcome, listDeliveries } from "./callback-drafts.ts";
import { draft, epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useEmptiedStore, type OpenStore } from "./setup.ts";

/** Deliveries that are stored with messages, deliver them and are cancelled with them. */
export function describeCallbackMessages(open: OpenStore): void {
  const emptied = useEmptiedStore(open);
  /** Returns a store without other servers, and a sent message with a delivery that delivers it. */
  const prepare = async () => {
    const { store, reopen } = emptied();
    const server = await makeServer(store);
    const message = draft(server, { direction: "Sent" });
    const delivering = (id: MessageId, fields: Partial<NewDelivery> = {}): NewDelivery =>
      aDelivery(server, { message: id, deliversMessage: true, type: "sms", ...fields });
    const delivery = delivering(message.id);
    return { store, reopen, server, message, delivery, delivering, callbacks: store.callbacks };
  };
  const withMessage = async () => {
    const prepared = await prepare();
    await prepared.store.addMessages([prepared.message], { deliveries: [prepared.delivery] });
    return { ...prepared, claim: aClaim([prepared.delivery.queue]) };
  };

  test("stores deliveries with their message only", async () => {
    const { store, server, message, delivery, delivering, callbacks } = await prepare();
    const [stranger, unrelated] = [delivering(draft(server).id), aDelivery(server)];
    const { id: target } = await addTarget(store, server);
    const about = aDelivery(server, { target, message: message.id });
    const deliveries = [delivery, stranger, unrelated, about];
    const taken = draft(server, { subject: "other" });
    await store.addMessages([taken]);
    const collides = { ...taken, raw: Buffer.from("different") };
    const failed = await store.addMessages([message, collides], { deliveries });
    expect(failed.map(({ outcome }) => outcome)).toEqual(["collision", "collision"]);
    expect(await listDeliveries(store, server)).toEqual([]);
    expect(await store.addMessages([message], { deliveries })).toMatchObject([{ outcome: "stored" }]);
    expect(await listDeliveries(store, server)).toMatchObject([about, unrelated, delivery].map(({ id }) => ({ id })));
    expect(await store.addMessages([message], { deliveries })).toMatchObject([{ outcome: "stored" }]);
    expect(await listDeliveries(store, server)).toHaveLength(3);
    expect(await callbacks.queue.claim(aClaim([delivery.queue]))).toHaveLength(2);
    expect(await listDeliveries(store, server, { message: message.id })).toHaveLength(2);
  });

  test("counts deliveries of messages against the allowance, once", async () => {
    const { store, server, message, delivery, delivering } = await prepare();
    const allowance = { countMax: 2, now: epochMs };
    const about = aDelivery(server, { message: message.id });
    await store.addMessages([message], { deliveries: [delivery, about], allowance });
    await store.addMessages([message], { deliveries: [delivery, about], allowance });
    const next = draft(server, { direction: "Sent" });
    const two = [delivering(next.id), delivering(next.id)];
    await expectProblem(store.addMessages([next], { deliveries: two, allowance }), "too_many_requests");
    expect(await store.getRaw(next.id)).toBeUndefined();
    expect(await listDeliveries(store, server)).toHaveLength(2);
    await store.addMessages([next], { deliveries: two.slice(1), allowance });
    expect(await listDeliveries(store, server)).toHaveLength(3);
  });

  test("determines the delivery state of its message", async () => {
    const { store, server, message, delivery, callbacks, claim } = await withMessage();
    const state = { attempts: 0, lastError: null, updatedAt: epochMs };
    expect(await callbacks.getMessageDelivery(message.id)).toEqual({ ...state, status: "Queued" });
    await callbacks.queue.claim(claim);
    const attempt = anAttempt({ error: "timed out", responseStatus: null, startedAt: epochMs + 10 });
    await callbacks.queue.record([anOutcome(delivery.id, { status: "Pending", dueAt: epochMs, attempt })]);
    const once = { status: "Queued", attempts: 1, lastError: "timed out", updatedAt: epochMs + 15 };
    expect(await callbacks.getMessageDelivery(message.id)).toEqual(once);
    await callbacks.queue.claim(claim);
    await callbacks.queue.record([anOutcome(delivery.id)]);
    expect(await callbacks.getMessageDelivery(message.id)).toMatchObject({ status: "Sent", attempts: 2 });
    const other = draft(server);
    await store.addMessages([other], { deliveries: [aDelivery(server, { message: other.id })] });
    expect(await callbacks.getMessageDelivery(other.id)).toBeUndefined();
  });

  test("appends a change when the delivery of a message has failed, and only then", async () => {
    const { store, server, message, delivery, callbacks, claim } = await withMessage();
    const about = aDelivery(server, { message: message.id, queue: delivery.queue });
    await callbacks.addDeliveries([about]);
    await callbacks.queue.claim(claim);
    const outcomes = [delivery, about].map(({ id }) => anOutcome(id, { status: "Failed" }));
    expect(await callbacks.queue.record(outcomes)).toEqual([{ sequence: 2 }, { sequence: null }]);
    expect(await store.listChanges(server, 1, 10)).toEqual([{ sequence: 2, kind: "failed", id: message.id }]);
    expect(await callbacks.getMessageDelivery(message.id)).toMatchObject({ status: "Failed" });
  });

  test.each(["deleting the message", "emptying the server"])("cancels by %s what would deliver it", async (way) => {
    const { store, server, message, delivery, callbacks, claim } = await withMessage();
    const about = aDelivery(server, { message: message.id, queue: delivery.queue });
    await callbacks.addDeliveries([about]);
    await callbacks.queue.claim(claim);
    if (way === "deleting the message") await store.deleteMessage(message.id);
    else await store.emptyServer(server);
    expect(await callbacks.queue.record([anOutcome(delivery.id), anOutcome(about.id)])).toEqual([
      undefined,
      { sequence: null },
    ]);
    expect(await callbacks.getCallbackDelivery(delivery.id)).toMatchObject({
      status: "Cancelled",
      nextAttemptAt: null,
    });
    expect(await callbacks.replayDeliveries([delivery.id], epochMs)).toBe(0);
    await callbacks.addDeliveries([{ ...delivery, id: "again" }]);
    expect(await callbacks.getCallbackDelivery("again")).toBeUndefined();
  });

  test("cancels nothing that is delivered, and nothing when retention removes another message", async () => {
    const { store, server, delivery, callbacks, claim } = await withMessage();
    const [aged] = [draft(server, { at: 1, direction: "Sent" })];
    await store.addMessages([aged]);
    await store.expireMessages(server, { receivedBefore: 1000, keepNewest: null });
    expect(await callbacks.queue.claim(claim)).toHaveLength(1);
    await callbacks.queue.record([anOutcome(delivery.id)]);
    await store.emptyServer(server);
    expect(await callbacks.getCallbackDelivery(delivery.id)).toMatchObject({ status: "Delivered" });
  });

  test("keeps the delivery state of a message until it is deleted", async () => {
    const { store, message, delivery, callbacks, claim } = await withMessage();
    await callbacks.queue.claim(claim);
    await callbacks.queue.record([anOutcome(delivery.id)]);
    expect(await callbacks.removeDeliveries(epochMs + 1, 10)).toBe(0);
    expect(await callbacks.replayDeliveries([delivery.id], epochMs)).toBe(1);
    await callbacks.queue.claim(claim);
    await callbacks.queue.record([anOutcome(delivery.id)]);
    expect(await callbacks.getMessageDelivery(message.id)).toMatchObject({ status: "Sent", attempts: 2 });
    await store.deleteMessage(message.id);
    expect(await callbacks.replayDeliveries([delivery.id], epochMs)).toBe(0);
    expect(await callbacks.removeDeliveries(epochMs + 1, 10)).toBe(1);
    expect(await callbacks.getCallbackDelivery(delivery.id)).toBeUndefined();
  });

  test("cancels when retention removes the message", async () => {
    const { store, server, delivery, callbacks } = await withMessage();
    await store.expireMessages(server, { receivedBefore: Number.MAX_SAFE_INTEGER, keepNewest: null });
    expect(await callbacks.getCallbackDelivery(delivery.id)).toMatchObject({ status: "Cancelled" });
  });

  test("keeps targets, deliveries and leases over a restart", async () => {
    const { store, reopen, server, delivery, callbacks, claim } = await withMessage();
    const target = await addTarget(store, server);
    await callbacks.queue.claim(claim);
    const before = await callbacks.getCallbackDelivery(delivery.id);
    const { callbacks: later } = await reopen();
    expect(await later.listTargets(server)).toEqual([target]);
    expect(await later.getCallbackDelivery(delivery.id)).toEqual(before);
    expect(await later.queue.record([anOutcome(delivery.id)])).toEqual([{ sequence: null }]);
  });
}
