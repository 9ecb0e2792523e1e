/** Tables of scheduled mails. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Problem } from "../../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import {
  scheduledChunks,
  type DueMessage,
  type NewScheduledMessage,
  type ScheduleClaim,
  type ScheduledMessage,
  type ScheduledMessageStore,
  type ScheduleLimits,
} from "../../scheduled-message-store.ts";
import type { Thread } from "../threads/thread.ts";

interface EmailRow extends Omit<DueMessage, "messages"> {
  readonly messages: string | null;
}

const columns = "id, send_at as sendAt, json, messages, raw_size as rawBytes, attempts";

/** Queries of scheduled mails. */
export class ScheduledMessageReads {
  readonly #get: StatementSync;
  readonly #chunk: StatementSync;
  readonly #next: StatementSync;
  readonly #count: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare(`select ${columns} from scheduled_email where id = ?`);
    this.#chunk = database.prepare("select bytes from scheduled_chunk where email = ? and position = ?");
    this.#next = database.prepare("select min(due_at) as dueAt from scheduled_email");
    this.#count = database.prepare("select count(*) as count from scheduled_email");
  }

  get(id: MessageId): ScheduledMessage | undefined {
    const row = this.#get.get(id);
    if (row === undefined) return undefined;
    const { attempts: _attempts, ...email } = toEmail(row as unknown as EmailRow);
    return email;
  }

  chunk(id: MessageId, position: number): Uint8Array | undefined {
    return this.#chunk.get(id, position)?.["bytes"] as Uint8Array | undefined;
  }

  nextDueAt(): number | null {
    return this.#next.get()?.["dueAt"] as number | null;
  }

  count(): number {
    return Number(this.#count.get()?.["count"]);
  }
}

/** Calls of the writer thread that change scheduled mails, as in the contract. */
export type ScheduledMessageCalls = {
  readonly [
    Name in Exclude<
      keyof ScheduledMessageStore,
      "getScheduledMessage" | "getScheduledRaw" | "nextScheduledAt" | "countScheduledMessages"
    >
  ]: (...parameters: Parameters<ScheduledMessageStore[Name]>) => Awaited<ReturnType<ScheduledMessageStore[Name]>>;
};

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindScheduledMessageCalls(database: DatabaseSync): ScheduledMessageCalls {
  const isPending = "id = ? and messages is null";
  const reschedule = database.prepare(
    `update scheduled_email set send_at = ?1, due_at = ?1, lease = null, attempts = 0 where id = ?2 and messages is null`,
  );
  const cancel = database.prepare(`delete from scheduled_email where ${isPending}`);
  const remove = database.prepare("delete from scheduled_email where id = ? and lease = ?");
  const removeChunks = database.prepare("delete from scheduled_chunk where email = ?");
  const claim = database.prepare(
    `update scheduled_email set attempts = attempts + 1, due_at = ?2, lease = ?3
     where id in (select id from scheduled_email where due_at <= ?1 order by due_at, id limit ?4) returning ${columns}`,
  );
  const begin = database.prepare("update scheduled_email set messages = ? where id = ? and lease = ?");
  const postpone = database.prepare(
    "update scheduled_email set messages = null, lease = null, due_at = ? where id = ? and lease = ?",
  );
  const release = database.prepare("update scheduled_email set lease = null, due_at = ? where lease is not null");
  const removed = (id: MessageId, { changes }: { readonly changes: number | bigint }): boolean => {
    if (changes > 0) removeChunks.run(id);
    return changes > 0;
  };
  return {
    addScheduledMessages: bindAdd(database),
    rescheduleMessage: (id, sendAt) => reschedule.run(sendAt, id).changes > 0,
    cancelScheduledMessage: (id) => removed(id, cancel.run(id)),
    claimScheduledMessages: ({ now, leasedUntil, lease, countMax }: ScheduleClaim) =>
      claim.all(now, leasedUntil, lease, countMax).map((row) => toEmail(row as unknown as EmailRow)),
    beginArrival: (id, lease, messages) => begin.run(JSON.stringify(messages), id, lease).changes > 0,
    postponeArrival: (id, lease, dueAt) => {
      postpone.run(dueAt, id, lease);
    },
    removeScheduledMessage: (id, lease) => {
      removed(id, remove.run(id, lease));
    },
    releaseScheduledMessages: (now) => {
      release.run(now);
    },
  };
}

function bindAdd(database: DatabaseSync): ScheduledMessageCalls["addScheduledMessages"] {
  const find = database.prepare("select 1 from scheduled_email where id = ?");
  const held = database.prepare(
    "select count(*) as count, coalesce(sum(raw_size), 0) as bytes from scheduled_email where server = ?",
  );
  const insert = database.prepare(
    `insert into scheduled_email (id, server, send_at, due_at, attempts, json, raw_size)
     values (?1, ?2, ?3, ?3, 0, ?4, ?5)`,
  );
  const insertChunk = database.prepare("insert into scheduled_chunk (email, position, bytes) values (?, ?, ?)");
  const requirePlace = (server: ServerId, own: readonly NewScheduledMessage[], limits: ScheduleLimits): void => {
    const { count, bytes } = held.get(server) as unknown as { readonly count: number; readonly bytes: number };
    const added = own.reduce((sum, { raw }) => sum + raw.length, 0);
    if (count + own.length > limits.countMax || bytes + added > limits.bytesMax) throw new Problem("limit_reached");
  };
  return (emails, limits) => {
    if (emails.some(({ id }) => find.get(id) !== undefined)) return false;
    for (const [server, own] of Map.groupBy(emails, ({ id }) => decodeMessageId(id).server)) {
      requirePlace(server, own, limits);
    }
    for (const { id, sendAt, json, raw } of emails) {
      insert.run(id, decodeMessageId(id).server, sendAt, json, raw.length);
      for (const [position, bytes] of scheduledChunks(raw).entries()) insertChunk.run(id, position, bytes);
    }
    return true;
  };
}

/** Creates the store of scheduled mails. */
export function createScheduledMessageStore(
  writer: Thread<ScheduledMessageCalls>,
  read: <Result>(body: (reads: ScheduledMessageReads) => Result) => Result,
): ScheduledMessageStore {
  return {
    addScheduledMessages: async (emails, limits) => {
      // Copied: the caller's buffers may be parts of larger ones, which would be cloned whole.
      const copies = emails.map((email) => ({ ...email, raw: new Uint8Array(email.raw) }));
      return writer.call(
        "addScheduledMessages",
        [copies, limits],
        copies.map(({ raw }) => raw.buffer),
      );
    },
    getScheduledMessage: async (id) => read((reads) => reads.get(id)),
    getScheduledRaw: async (id) => readRaw(id, read),
    rescheduleMessage: async (id, sendAt) => writer.call("rescheduleMessage", [id, sendAt]),
    cancelScheduledMessage: async (id) => writer.call("cancelScheduledMessage", [id]),
    claimScheduledMessages: async (claim) => writer.call("claimScheduledMessages", [claim]),
    beginArrival: async (id, lease, messages) => writer.call("beginArrival", [id, lease, messages]),
    postponeArrival: async (id, lease, dueAt) => writer.call("postponeArrival", [id, lease, dueAt]),
    removeScheduledMessage: async (id, lease) => writer.call("removeScheduledMessage", [id, lease]),
    nextScheduledAt: async () => read((reads) => reads.nextDueAt()),
    countScheduledMessages: async () => read((reads) => reads.count()),
    releaseScheduledMessages: async (now) => writer.call("releaseScheduledMessages", [now]),
  };
}

/** Reads a raw mail chunk by chunk, so that the thread of the sockets is never held for long. */
async function readRaw(
  id: MessageId,
  read: <Result>(body: (reads: ScheduledMessageReads) => Result) => Result,
): Promise<Uint8Array | undefined> {
  const email = read((reads) => reads.get(id));
  if (email === undefined) return undefined;
  const raw = new Uint8Array(email.rawBytes);
  let length = 0;
  for (let position = 0; length < raw.length; position += 1) {
    const chunk = read((reads) => reads.chunk(id, position));
    if (chunk === undefined) return undefined;
    raw.set(chunk, length);
    length += chunk.length;
    await nextTurn();
  }
  return raw;
}

function toEmail({ messages, ...row }: EmailRow): DueMessage {
  return { ...row, messages: messages === null ? null : (JSON.parse(messages) as readonly MessageId[]) };
}
