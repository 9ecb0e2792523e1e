import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { SearchBody } from "../../core/search/search-fields.ts";
import { attachmentIdAt, decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { NewMessage } from "../store.ts";
import { draft, epochMs, page, unkeyed } from "./drafts.ts";
import { addDrafts, find, idsOf, makeServer, textOf, useStore, type OpenStore } from "./setup.ts";

/** Queue of mails to be parsed again: leased, postponed, replaced. */
export function describeReparses(open: OpenStore): void {
  const store = useStore(open);
  /** Removes all entries of earlier tests. */
  const clear = async (): Promise<void> => {
    const now = Number.MAX_SAFE_INTEGER;
    while ((await store().reparses.queue.countPending()).count > 0) {
      const lease = { now, leaseEndsAt: 0, lease: "clear" };
      const claimed = await store().reparses.queue.claim({ ...lease, keys: unkeyed(1000) });
      await store().reparses.queue.record(claimed.map(({ id }) => ({ id, lease: "clear", dueAt: null })));
      await store().quarantine.quarantineDue(now);
    }
  };
  const addUnread = async (dueAt: number, fields: Parameters<typeof draft>[1] = {}): Promise<NewMessage> => {
    const message = draft(await makeServer(store()), fields);
    await store().addMessages([message], { reparseAt: dueAt });
    return message;
  };
  const claim = async (now: number, countMax = 10): Promise<readonly (readonly [MessageId, number])[]> =>
    (await store().reparses.queue.claim({ now, leaseEndsAt: now + 100, lease: "a", keys: unkeyed(countMax) })).map(
      (one) => [one.id, one.attempts],
    );

  test("leases due entries, the earliest first, until the lease ends, and counts attempts", async () => {
    await clear();
    const late = await addUnread(epochMs + 20);
    const early = await addUnread(epochMs + 10);
    expect((await store().reparses.queue.countPending()).count).toBe(2);
    expect(await claim(epochMs + 9)).toEqual([]);
    expect(await claim(epochMs + 30, 1)).toEqual([[early.id, 1]]);
    expect(await claim(epochMs + 30)).toEqual([[late.id, 1]]);
    expect(await claim(epochMs + 129)).toEqual([]);
    expect(new Map(await claim(epochMs + 130))).toEqual(
      new Map([
        [early.id, 2],
        [late.id, 2],
      ]),
    );
  });

  test("postpones an entry and removes one", async () => {
    await clear();
    const { id } = await addUnread(epochMs);
    await claim(epochMs);
    await store().reparses.queue.record([{ id, lease: "a", dueAt: epochMs + 50 }]);
    expect(await claim(epochMs + 49)).toEqual([]);
    expect(await claim(epochMs + 50)).toEqual([[id, 2]]);
    await store().reparses.queue.record([{ id, lease: "a", dueAt: null }]);
    expect((await store().reparses.queue.countPending()).count).toBe(0);
  });

  test("adds no entry for messages that are not stored", async () => {
    await clear();
    const message = draft(await makeServer(store()));
    await store().addMessages([message]);
    const other = { ...message, raw: Buffer.from("other") };
    expect(await store().addMessages([other], { reparseAt: epochMs })).toEqual([{ outcome: "collision" }]);
    expect((await store().reparses.queue.countPending()).count).toBe(0);
  });

  test("replaces summary, detail and search keys of a message, for lists, searches and waits", async () => {
    await clear();
    const unread = await addUnread(epochMs, { from: ["old@x.test"], to: ["kept@x.test"], subject: "", body: "" });
    const { server } = decodeMessageId(unread.id);
    const [neighbour] = await addDrafts(store(), server, [{ subject: "neighbour" }]);
    expect(idsOf(await store().listMessages(server, page()))).toContain(unread.id);
    expect(await find(store(), server, { body: "needle" })).toEqual([]);
    const { cursor } = await store().listMessages(server, page());
    const usage = await store().listUsage(0);
    const keys = {
      from: ["new@x.test"],
      to: ["kept@x.test"],
      subject: "read at last",
      body: new SearchBody(["a needle in hay"]),
      fields: {},
    };
    const summaryJson = Buffer.from(JSON.stringify({ id: unread.id, note: "read" }));
    const read = { ...unread, summaryJson, detailJson: Buffer.from("{}"), keys };
    expect(await store().reparses.replaceMessage(read)).toBe(cursor + 2);
    expect((await store().reparses.queue.countPending()).count).toBe(0);
    const list = await store().listMessages(server, page());
    expect([list.count, list.total ?? 2, textOf(list.json)]).toEqual([2, 2, expect.stringContaining('"read"')]);
    expect(new Set(idsOf(list))).toEqual(new Set([unread.id, neighbour]));
    expect(textOf(await store().getDetail(unread.id))).toBe("{}");
    expect(textOf(await store().getRaw(unread.id))).toBe(textOf(unread.raw));
    expect(await store().findMessageOfAttachment(attachmentIdAt(unread.id, 1))).toBe(unread.id);
    for (const criteria of [{ body: "needle" }, { subject: "at last" }, { sentFrom: "new@x.test" }]) {
      expect(await find(store(), server, criteria)).toEqual([unread.id]);
      expect(await find(store(), server, { ...criteria, within: { afterSequence: cursor } })).toEqual([unread.id]);
    }
    expect(await find(store(), server, { sentFrom: "old@x.test" })).toEqual([]);
    expect((await store().listChanges(server, cursor, 10))?.map(({ kind }) => kind)).toEqual(["deleted", "received"]);
    expect((await store().getServer(server))?.messages).toBe(2);
    expect(await store().listUsage(0)).toEqual(usage);
  });

  test("replaces a large message that is stored in chunks", async () => {
    const unread = await addUnread(epochMs, { raw: Buffer.alloc(3_000_000, "0123456789abcdef\r\n") });
    const body = "x".repeat(2_000_000);
    const read = {
      ...unread,
      detailJson: Buffer.from(JSON.stringify({ body })),
      keys: { ...unread.keys, body: new SearchBody([body]) },
    };
    expect(await store().reparses.replaceMessage(read)).toBeDefined();
    expect((await store().getDetail(unread.id))?.byteLength).toBe(body.length + 11);
    expect((await store().getRaw(unread.id))?.byteLength).toBe(3_000_000);
  });

  test("keeps the outbox entries of a sent message", async () => {
    const server = await makeServer(store());
    const sent = draft(server, { direction: "Sent" });
    const shared = { mailFrom: "a@x.test", rcptTo: ["b@x.test"], content: null, lastError: null, at: epochMs };
    const entry = { ...shared, id: randomUUID(), message: sent.id, route: "relay", status: "Queued" } as const;
    await store().addMessages([sent], { entries: [entry], reparseAt: epochMs });
    expect(await store().reparses.replaceMessage(sent)).toBeDefined();
    expect(await store().outbox.getDelivery(sent.id)).toMatchObject({ status: "Queued" });
  });

  test("returns undefined for a deleted message and removes its entry", async () => {
    await clear();
    const unread = await addUnread(epochMs);
    await store().deleteMessage(unread.id);
    expect(await store().reparses.replaceMessage(unread)).toBeUndefined();
    expect((await store().reparses.queue.countPending()).count).toBe(0);
  });
}
