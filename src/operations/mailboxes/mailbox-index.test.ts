import type { Context } from "../context.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Change, createEventHub } from "../../core/events.ts";
import { encodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import type { MailboxIndex } from "./mailbox-index.ts";
import { MailboxIndexes, type OpenMailbox } from "./open-mailbox.ts";

const server = "abcd1234" as ServerId;
const idOf = (number: number, direction: Direction = "Received"): MessageId =>
  encodeMessageId({ server, direction, receivedAt: 1e12 + ((number * 7919) % 1000), random: number * 1024 });

/** Journal and messages of one server, as a store keeps them. */
class Journal {
  readonly events = createEventHub();
  changes: Change[] = [];
  messages = new Map<MessageId, number>();
  uidValidity = 1_700_000_000;
  forgottenUpTo = 0;
  isBroken = false;
  readCount = 0;

  get context(): Context {
    const store = {
      getServer: async () => ({ uidValidity: this.uidValidity }),
      listChanges: async (_: ServerId, after: number, limit: number) => {
        this.readCount += 1;
        if (this.isBroken) throw new Error("unavailable");
        if (after < this.forgottenUpTo || after > this.changes.length) return undefined;
        return this.changes.slice(after, after + limit);
      },
      marks: {
        listIdentities: async (_: ServerId, direction: Direction, after: MessageId | null) => {
          const own = [...this.messages]
            .filter(([id]) => (direction === "Sent") === isSent(id))
            .toSorted(([a], [b]) => (a < b ? -1 : 1));
          const rest = own.filter(([id]) => after === null || id > after);
          return {
            identities: rest.slice(0, 3).map(([id, sequence]) => ({ id, sequence })),
            cursor: this.changes.length,
            hasMore: rest.length > 3,
          };
        },
      },
    };
    return { store: store as unknown as Context["store"], events: this.events } as Context;
  }

  append(kind: Change["kind"], id: MessageId | null): void {
    const sequence = this.changes.length + 1;
    const change = { sequence, kind, id };
    this.changes.push(change);
    if (id !== null && (kind === "received" || kind === "sent")) this.messages.set(id, sequence);
    if (id !== null && kind === "deleted") this.messages.delete(id);
    if (kind === "emptied") this.messages.clear();
    this.events.publish({ server, change, message: null });
  }
}

const isSent = (id: MessageId): boolean => id > idOf(0, "Sent").slice(0, 14);

async function openIndex(journal: Journal, direction: Direction = "Received"): Promise<MailboxIndex> {
  return (await new MailboxIndexes(journal.context).open({ server, direction })).index;
}

describe("a mailbox index", () => {
  test("has the messages of its direction by the order of their commits", async () => {
    const journal = new Journal();
    for (const number of [5, 3, 9, 1, 7]) journal.append("received", idOf(number));
    journal.append("sent", idOf(2, "Sent"));
    const index = await openIndex(journal);
    expect([...index.uids]).toEqual([1, 2, 3, 4, 5]);
    expect(index.idOf(2)).toBe(idOf(3));
    expect(index.idOf(6)).toBeUndefined();
    expect(index.uidNext).toBe(7);
    expect(index.uidsOf([idOf(9), idOf(4)])).toEqual(new Map([[idOf(9), 3]]));
    expect([...(await openIndex(journal, "Sent")).uids]).toEqual([6]);
  });

  test("follows changes, and leaves what it has handed out unchanged", async () => {
    const journal = new Journal();
    journal.append("received", idOf(1));
    const index = await openIndex(journal);
    const former = index.uids;
    for (let number = 2; number < 200; number += 1) journal.append("received", idOf(number));
    journal.append("deleted", idOf(1));
    await index.refresh(false);
    expect(index.uids).toHaveLength(198);
    expect([...former]).toEqual([1]);
    expect(index.uidNext).toBe(200);
    journal.append("marked", null);
    journal.append("emptied", null);
    await index.refresh(false);
    expect(index.uids).toHaveLength(0);
    expect(index).toMatchObject({ markedAt: 201, cursor: 202, uidNext: 200 });
  });

  test("gives a message that is stored again a new UID", async () => {
    const journal = new Journal();
    journal.append("received", idOf(1));
    const index = await openIndex(journal);
    journal.append("deleted", idOf(1));
    journal.append("received", idOf(1));
    await index.refresh(false);
    expect([...index.uids]).toEqual([3]);
  });

  test("reads the store only after a notification, or when it must", async () => {
    const journal = new Journal();
    const index = await openIndex(journal);
    const before = journal.readCount;
    await index.refresh(false);
    expect(journal.readCount).toBe(before);
    await index.refresh(true);
    expect(journal.readCount).toBe(before + 1);
  });

  test("reads again after a failure", async () => {
    const journal = new Journal();
    const index = await openIndex(journal);
    journal.isBroken = true;
    journal.append("received", idOf(1));
    await expect(index.refresh(false)).rejects.toThrow("unavailable");
    journal.isBroken = false;
    await index.refresh(false);
    expect([...index.uids]).toEqual([1]);
  });

  test("is replaced when the server was created again", async () => {
    const journal = new Journal();
    const index = await openIndex(journal);
    journal.uidValidity += 5000;
    await index.refresh(true);
    expect(index.isReplaced).toBe(true);
  });

  test("is shared by sessions, and kept for the next one with the changes that came meanwhile", async () => {
    const journal = new Journal();
    const indexes = new MailboxIndexes(journal.context);
    const [first, second] = [
      await indexes.open({ server, direction: "Sent" }),
      await indexes.open({ server, direction: "Sent" }),
    ];
    expect(first.index).toBe(second.index);
    first.release();
    first.release();
    second.release();
    journal.append("sent", idOf(1, "Sent"));
    const third = await indexes.open({ server, direction: "Sent" });
    expect(third.index).toBe(first.index);
    expect([...third.index.uids]).toEqual([1]);
  });

  test("is dropped when the sessions of many other mailboxes were the last ones", async () => {
    const journal = new Journal();
    const indexes = new MailboxIndexes(journal.context);
    const open = async (of: string): Promise<OpenMailbox> =>
      await indexes.open({ server: of as ServerId, direction: "Sent" });
    const [used, idle] = [await open("usedused"), await open("idleidle")];
    idle.release();
    for (let number = 0; number < 32; number += 1) (await open(`other${number}`)).release();
    expect(journal.events.hasListeners("idleidle" as ServerId)).toBe(false);
    expect(journal.events.hasListeners("other0" as ServerId)).toBe(true);
    expect((await open("usedused")).index).toBe(used.index);
    expect((await open("idleidle")).index).not.toBe(idle.index);
  });

  test("is read anew when the server was created again since the last session", async () => {
    const journal = new Journal();
    const indexes = new MailboxIndexes(journal.context);
    journal.append("sent", idOf(1, "Sent"));
    const first = await indexes.open({ server, direction: "Sent" });
    first.release();
    journal.uidValidity += 5000;
    const second = await indexes.open({ server, direction: "Sent" });
    expect(second.index).not.toBe(first.index);
    expect(second.index.isReplaced).toBe(false);
    second.release();
    expect(journal.events.hasListeners(server)).toBe(true);
  });

  test("has the same messages as the store after any changes, also when the journal has lost some", async () => {
    const step = fc.record({
      kind: fc.constantFrom(
        "received" as const,
        "received" as const,
        "deleted" as const,
        "emptied" as const,
        "marked" as const,
      ),
      number: fc.integer({ min: 1, max: 8 }),
      refreshes: fc.boolean(),
      forgets: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const journal = new Journal();
        const index = await openIndex(journal);
        for (const { kind, number, refreshes, forgets } of steps) {
          const exists = journal.messages.has(idOf(number));
          if (kind === "emptied" || kind === "marked") journal.append(kind, null);
          else if (exists === (kind === "deleted")) journal.append(kind, idOf(number));
          if (forgets) journal.forgottenUpTo = journal.changes.length;
          if (refreshes) await index.refresh(false);
        }
        await index.refresh(true);
        const stored = [...journal.messages].toSorted(([, a], [, b]) => a - b);
        expect(Array.from(index.uids, (uid) => [index.idOf(uid), uid])).toEqual(stored);
        index.close();
      }),
    );
  });
});
