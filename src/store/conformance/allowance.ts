import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { OutboundAllowance } from "../outbox-store.ts";
import type { Store } from "../store.ts";
import { anEntry, draft, epochMs } from "./drafts.ts";
import { makeServer, type OpenStore } from "./setup.ts";

const hourMs = 3_600_000;

/** Hourly limit of outbound deliveries, over all callers and restarts. */
export function describeAllowance(open: OpenStore): void {
  /** Opens a store for one test, because all servers share the hour. */
  const openStore = async (): Promise<{ store: Store; server: ServerId; reopen: () => Promise<Store> }> => {
    const opened = await open();
    onTestFinished(opened.dispose);
    return { store: opened.store, server: await makeServer(opened.store), reopen: opened.reopen };
  };
  const allow = (countMax: number, now = epochMs): OutboundAllowance => ({ countMax, now });
  /** Sends one mail to `count` external recipients; returns its id, or null when the limit is reached. */
  const send = async (
    { store, server }: { store: Store; server: ServerId },
    count: number,
    allowance: OutboundAllowance,
  ): Promise<MessageId | null> => {
    const message = draft(server, { direction: "Sent" });
    const entries = Array.from({ length: count }, () => anEntry({ message: message.id }));
    const sent = store.addMessages([message], { entries, allowance });
    const refusal = await sent.then(
      () => null,
      (error: unknown) => error,
    );
    if (refusal === null) return message.id;
    expect(refusal).toMatchObject({
      code: "too_many_requests",
      message: `At most ${allowance.countMax} deliveries leave within an hour`,
    });
    expect(await store.getRaw(message.id)).toBeUndefined();
    return null;
  };

  test("accepts entries up to the limit and rejects the next call whole, with the seconds to wait", async () => {
    const opened = await openStore();
    expect(await send(opened, 2, allow(3))).not.toBeNull();
    expect(await send(opened, 2, allow(3))).toBeNull();
    expect(await send(opened, 1, allow(3))).not.toBeNull();
    const { store, server } = opened;
    const message = draft(server, { direction: "Sent" });
    const refused = store.addMessages([message], {
      entries: [anEntry({ message: message.id })],
      allowance: allow(3, epochMs + 1000),
    });
    await expect(refused).rejects.toMatchObject({ code: "too_many_requests", retryAfterSeconds: 3599 });
    expect((await store.statistics()).outboxBacklogCount).toBe(3);
    expect(await send(opened, 3, allow(3, epochMs + hourMs))).not.toBeNull();
  });

  test("does not count final, repeated and unlimited entries", async () => {
    const opened = await openStore();
    const { store, server } = opened;
    const message = draft(server, { direction: "Sent" });
    const entries = [
      anEntry({ message: message.id }),
      { ...anEntry({ message: message.id }), status: "Sent" } as const,
    ];
    await store.addMessages([message], { entries, allowance: allow(1) });
    await store.addMessages([message], { entries, allowance: allow(1) });
    const other = draft(server, { direction: "Sent" });
    await store.addMessages([other], { entries: [anEntry({ message: other.id })] });
    expect(await send(opened, 1, allow(1))).toBeNull();
    expect(await send(opened, 1, allow(2))).not.toBeNull();
  });

  test("does not count entries that are not stored", async () => {
    const opened = await openStore();
    const { store, server } = opened;
    const first = draft(server, { raw: "one" });
    await store.addMessages([first]);
    const colliding = { ...first, raw: Buffer.from("two") };
    await store.addMessages([colliding], { entries: [anEntry({ message: first.id })], allowance: allow(1) });
    expect(await send(opened, 1, allow(1))).not.toBeNull();
  });

  test("holds the limit for concurrent calls, and does not lower the count after deletions", async () => {
    const opened = await openStore();
    const sent = await Promise.all(Array.from({ length: 20 }, async () => send(opened, 1, allow(7))));
    expect(sent.filter((id) => id !== null)).toHaveLength(7);
    await opened.store.emptyServer(opened.server);
    expect(await send(opened, 1, allow(7))).toBeNull();
  });

  test("adds an address only together with its verification mail", async () => {
    const { store } = await openStore();
    const add = async (address: string): Promise<void> =>
      store.verifiedAddresses.addVerifiedAddress(
        { id: randomUUID(), address, status: "Pending", tokenHash: "ab", createdAt: epochMs },
        { entries: [anEntry()], allowance: allow(1) },
      );
    await add("one@asked.example");
    await expect(add("two@asked.example")).rejects.toMatchObject({ code: "too_many_requests" });
    await expect(add("ONE@asked.example")).rejects.toMatchObject({ code: "conflict" });
    expect(await store.verifiedAddresses.findVerifiedAddress("two@asked.example")).toBeUndefined();
    expect((await store.statistics()).outboxBacklogCount).toBe(1);
  });

  test("continues the hour after a restart", async () => {
    const opened = await openStore();
    await send(opened, 1, allow(1));
    const store = await opened.reopen();
    expect(await send({ store, server: opened.server }, 1, allow(1, epochMs + hourMs - 1))).toBeNull();
    expect(await send({ store, server: opened.server }, 1, allow(1, epochMs + hourMs))).not.toBeNull();
  });
}
