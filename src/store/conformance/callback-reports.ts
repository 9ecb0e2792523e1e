import { expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import type { AttemptOutcome } from "../outbox-store.ts";
import type { Store } from "../store.ts";
import { aClaim, aDelivery, addTarget, anAttempt, anOutcome, listDeliveries } from "./callback-drafts.ts";
import { anEntry, draft, epochMs, unkeyed } from "./drafts.ts";
import { makeServer, useEmptiedStore, type OpenStore } from "./setup.ts";

/** Reports of delivered messages, which are recorded with the attempts. */
export function describeCallbackReports(open: OpenStore): void {
  const emptied = useEmptiedStore(open);
  /** Returns a store without other servers, and a server with a webhook. */
  const prepare = async () => {
    const { store, reopen } = emptied();
    const server = await makeServer(store);
    return { store, reopen, server, target: await addTarget(store, server) };
  };
  const reported = async (store: Store): Promise<readonly MessageId[]> =>
    (await store.callbacks.listPendingReports(100)).map(({ message }) => message);
  /** Sends a message through the relay, to one recipient for each outcome. */
  const send = async (
    store: Store,
    server: Awaited<ReturnType<typeof makeServer>>,
    outcomes: readonly Partial<AttemptOutcome>[],
  ): Promise<MessageId> => {
    const message = draft(server, { direction: "Sent" });
    const entries = outcomes.map(() => anEntry({ message: message.id }));
    await store.addMessages([message], { entries });
    const claim = { now: epochMs, leaseEndsAt: epochMs + 1000, lease: "lease", keys: unkeyed(10) };
    const claimed = await store.outbox.queue.claim(claim);
    const rest = { lease: "lease", status: "Sent", dueAt: null, lastError: null, at: epochMs } as const;
    for (const [at, { id }] of claimed.entries()) await store.outbox.queue.record([{ ...rest, id, ...outcomes[at] }]);
    return message.id;
  };

  test("records a report with an attempt that delivers a mail, and keeps it when the store is opened again", async () => {
    const { store, reopen, server } = await prepare();
    const sent = await send(store, server, [{ at: epochMs }]);
    await send(store, server, [{ status: "Failed" }]);
    await send(store, server, [{ status: "Queued", dueAt: epochMs + 9_000_000 }]);
    await send(store, server, [{ lease: "other" }]);
    expect(await reported(store)).toEqual([sent]);
    expect(await reported(await reopen())).toEqual([sent]);
  });

  test("records one report for each delivered recipient, oldest first", async () => {
    const { store, server } = await prepare();
    const late = await send(store, server, [{ at: epochMs + 2000 }]);
    const early = await send(store, server, [{ at: epochMs }, { at: epochMs + 1000 }]);
    expect(await reported(store)).toEqual([early, early, late]);
    expect(await store.callbacks.listPendingReports(1)).toMatchObject([{ message: early }]);
  });

  test("records a report with a callback that delivers its message, and with no other", async () => {
    const { store, server, target } = await prepare();
    const [message, failing] = [draft(server, { direction: "Sent" }), draft(server, { direction: "Sent" })];
    const delivering = { deliversMessage: true, queue: "q" };
    const deliveries = [
      aDelivery(server, { ...delivering, message: message.id }),
      aDelivery(server, { ...delivering, message: failing.id }),
      aDelivery(server, { target: target.id, message: failing.id }),
    ] as const;
    await store.addMessages([message, failing], { deliveries });
    await store.callbacks.queue.claim(aClaim(["q", target.id]));
    const again = anAttempt({ error: "timed out", responseStatus: null });
    await store.callbacks.queue.record([
      anOutcome(deliveries[0].id),
      anOutcome(deliveries[1].id, { status: "Pending", dueAt: epochMs, attempt: again }),
      anOutcome(deliveries[2].id),
    ]);
    expect(await reported(store)).toEqual([message.id]);
    await store.callbacks.queue.claim(aClaim(["q"]));
    await store.callbacks.queue.record([anOutcome(deliveries[1].id, { status: "Failed" })]);
    expect(await reported(store)).toEqual([message.id]);
  });

  test("records no report for a server without targets", async () => {
    const { store, server, target } = await prepare();
    await store.callbacks.removeTarget(target.id);
    await send(store, server, [{}]);
    expect(await reported(store)).toEqual([]);
  });

  test("finishes reports together with the deliveries that they cause, once", async () => {
    const { store, server, target } = await prepare();
    const [first, second] = [await send(store, server, [{}]), await send(store, server, [{ at: epochMs + 1 }])];
    const [report, other] = await store.callbacks.listPendingReports(10);
    expect(report?.message).toBe(first);
    const delivery = aDelivery(server, { target: target.id, message: first });
    const finished = { reports: [report?.id ?? "", "unknown"], deliveries: [delivery] };
    await Promise.all([store.callbacks.finishReports(finished), store.callbacks.finishReports(finished)]);
    expect(await listDeliveries(store, server)).toMatchObject([{ id: delivery.id }]);
    expect(await reported(store)).toEqual([second]);
    await store.callbacks.removeTarget(target.id);
    const late = { reports: [other?.id ?? ""], deliveries: [aDelivery(server, { target: target.id })] };
    await store.callbacks.finishReports(late);
    expect(await reported(store)).toEqual([]);
    expect(await listDeliveries(store, server)).toEqual([]);
  });
}
