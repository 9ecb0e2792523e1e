/** Tables of messages that arrive later. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Problem } from "../../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import type { ServerQuota } from "../../../core/server-quota.ts";
import {
  heldBytes,
  scheduledChunks,
  type DueMessage,
  type NewScheduledMessage,
  type ScheduledMessage,
  type ScheduledMessageStore,
  type ScheduleLimits,
} from "../../scheduled-message-store.ts";
import { claims } from "../../queues/leased-tables.ts";
import { ServerReads } from "../account/servers.ts";
import type { Thread } from "../threads/thread.ts";
import { HeldReads } from "./held-messages.ts";
import { spaceOpener } from "./quotas.ts";

/** Row of {@link scheduledColumns}. */
export interface MessageRow extends Omit<DueMessage, "messages" | "isDeleted"> {
  readonly messages: string | null;
  readonly isDeleted: number;
}

/** Columns of a message that arrives later. */
export const scheduledColumns = `id, send_at as sendAt, accepted_at as acceptedAt, json, messages, raw_size as rawBytes, attempts,
  is_deleted as isDeleted, quarantined_at as quarantinedAt`;

/** Queries of messages that arrive later. */
export class ScheduledMessageReads {
  readonly #get: StatementSync;
  readonly #listHeld: StatementSync;
  readonly #chunk: StatementSync;
  readonly held: HeldReads;

  constructor(database: DatabaseSync) {
    this.held = new HeldReads(database);
    this.#get = database.prepare(`select ${scheduledColumns} from scheduled_email where id = ? and is_deleted = 0`);
    this.#listHeld = database.prepare(
      `select ${scheduledColumns} from scheduled_email where server = ? and held_bytes is not null
       and (messages is null or quarantined_at is not null) order by send_at, id limit ? + 0 offset ?`,
    );
    this.#chunk = database.prepare("select bytes from scheduled_chunk where email = ? and position = ?");
  }

  get(id: MessageId): ScheduledMessage | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : withoutClaim(toMessage(row as unknown as MessageRow));
  }

  /** Returns held messages of a server that have not begun to arrive or are quarantined, the next one first. */
  listHeld(server: ServerId, offset: number, countMax: number): readonly ScheduledMessage[] {
    const rows = this.#listHeld.all(server, countMax, offset) as unknown as readonly MessageRow[];
    return rows.map((row) => withoutClaim(toMessage(row)));
  }

  chunk(id: MessageId, position: number): Uint8Array | undefined {
    return this.#chunk.get(id, position)?.["bytes"] as Uint8Array | undefined;
  }
}

/** Calls of the writer thread that change messages that arrive later, as in the contract. */
export type ScheduledMessageCalls = {
  readonly [
    Name in Exclude<
      keyof ScheduledMessageStore,
      "getScheduledMessage" | "getScheduledRaw" | "queue" | "measureHeldMessages" | "listHeldMessages"
    >
  ]: (...parameters: Parameters<ScheduledMessageStore[Name]>) => Awaited<ReturnType<ScheduledMessageStore[Name]>>;
};

/**
 * Returns the implementation of the calls, for use inside the writer's transaction. `fallback` is the quota of servers
 * without one of their own.
 */
export function bindScheduledMessageCalls(database: DatabaseSync, fallback?: ServerQuota): ScheduledMessageCalls {
  const isPending = "id = ? and messages is null and accepted_at is null";
  const reschedule = database.prepare(
    `update scheduled_email set send_at = ?1, due_at = ?1, lease = null, attempts = 0, ${claims.ended}
     where id = ?2 and messages is null and accepted_at is null`,
  );
  const releaseHeld = database.prepare(
    `update scheduled_email set send_at = min(send_at, ?1), due_at = ?1, lease = null, ${claims.ended}
     where id = ?2 and messages is null and held_bytes is not null`,
  );
  const withdraw = database.prepare(
    "delete from scheduled_email where id = ? and messages is null and held_bytes is not null",
  );
  const cancel = database.prepare(`delete from scheduled_email where ${isPending}`);
  const removeChunks = database.prepare("delete from scheduled_chunk where email = ?");
  const begin = database.prepare("update scheduled_email set messages = ? where id = ? and lease = ?");
  const removed = (id: MessageId, { changes }: { readonly changes: number | bigint }): boolean => {
    if (changes > 0) removeChunks.run(id);
    return changes > 0;
  };
  return {
    addScheduledMessages: bindAdd(database, fallback),
    releaseHeldMessage: (id, now) => releaseHeld.run(now, id).changes > 0,
    withdrawHeldMessages: (ids) => {
      for (const id of ids) removed(id, withdraw.run(id));
    },
    rescheduleMessage: (id, sendAt) => reschedule.run(sendAt, id).changes > 0,
    cancelScheduledMessage: (id) => removed(id, cancel.run(id)),
    beginArrival: (id, lease, messages) => begin.run(JSON.stringify(messages), id, lease).changes > 0,
  };
}

function bindAdd(database: DatabaseSync, fallback?: ServerQuota): ScheduledMessageCalls["addScheduledMessages"] {
  const find = database.prepare("select 1 from scheduled_email where id = ?");
  const present = database.prepare(
    "select count(*) as count, coalesce(sum(raw_size), 0) as bytes from scheduled_email where server = ?",
  );
  const insert = database.prepare(
    `insert into scheduled_email (id, server, send_at, due_at, attempts, json, raw_size, accepted_at, held_bytes)
     values (?1, ?2, ?3, ?3, 0, ?4, ?5, ?6, ?7)`,
  );
  const insertChunk = database.prepare("insert into scheduled_chunk (email, position, bytes) values (?, ?, ?)");
  const requireQuota = bindQuota(database, fallback);
  const requirePlace = (server: ServerId, own: readonly NewScheduledMessage[], limits: ScheduleLimits): void => {
    const { count, bytes } = present.get(server) as unknown as { readonly count: number; readonly bytes: number };
    const added = own.reduce((sum, { raw }) => sum + raw.length, 0);
    if (count + own.length > limits.countMax || bytes + added > limits.bytesMax) throw new Problem("limit_reached");
  };
  return (messages, limits) => {
    if (messages.some(({ id }) => find.get(id) !== undefined)) return false;
    for (const [server, own] of Map.groupBy(messages, ({ id }) => decodeMessageId(id).server)) {
      requirePlace(server, own, limits);
    }
    requireQuota(messages.filter(({ acceptedAt }) => acceptedAt !== null));
    for (const message of messages) {
      const { id, sendAt, acceptedAt, json, raw } = message;
      const held = [acceptedAt, acceptedAt === null ? null : heldBytes(message)] as const;
      insert.run(id, decodeMessageId(id).server, sendAt, json, raw.length, ...held);
      for (const [position, bytes] of scheduledChunks(raw).entries()) insertChunk.run(id, position, bytes);
    }
    return true;
  };
}

/** Returns a function that throws when servers of held messages do not exist or would exceed their quotas. */
function bindQuota(database: DatabaseSync, fallback?: ServerQuota): (held: readonly NewScheduledMessage[]) => void {
  const [servers, openSpace] = [new ServerReads(database), spaceOpener(database, fallback)];
  return (held) => {
    const required = openSpace();
    for (const message of held) {
      const { server } = decodeMessageId(message.id);
      const position = servers.position(server);
      if (position === undefined) throw new Problem("recipient_unknown");
      required.add(server, position, { raw: message.raw, detail: Buffer.from(message.json) });
    }
    required.requireQuota();
  };
}

/** Creates the store of messages that arrive later. */
export function createScheduledMessageStore(
  writer: Thread<ScheduledMessageCalls>,
  read: <Result>(body: (reads: ScheduledMessageReads) => Result) => Result,
  queue: ScheduledMessageStore["queue"],
): ScheduledMessageStore {
  return {
    addScheduledMessages: async (messages, limits) => {
      // Copied: the caller's buffers may be parts of larger ones, which would be cloned whole.
      const copies = messages.map((message) => ({ ...message, raw: new Uint8Array(message.raw) }));
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
    releaseHeldMessage: async (id, now) => writer.call("releaseHeldMessage", [id, now]),
    withdrawHeldMessages: async (ids) => writer.call("withdrawHeldMessages", [ids]),
    listHeldMessages: async (server, page, itemsPerPage) => {
      const messages = read((reads) => reads.listHeld(server, page * itemsPerPage, itemsPerPage + 1));
      return { messages: messages.slice(0, itemsPerPage), hasMore: messages.length > itemsPerPage };
    },
    measureHeldMessages: async (server) => read((reads) => reads.held.measure(server)),
    beginArrival: async (id, lease, messages) => writer.call("beginArrival", [id, lease, messages]),
    queue,
  };
}

/** Reads a raw mail chunk by chunk, so that the thread of the sockets is never held for long. */
async function readRaw(
  id: MessageId,
  read: <Result>(body: (reads: ScheduledMessageReads) => Result) => Result,
): Promise<Uint8Array | undefined> {
  const message = read((reads) => reads.get(id));
  if (message === undefined) return undefined;
  const raw = new Uint8Array(message.rawBytes);
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

/** Returns the message of a row. */
export function toMessage({ messages, isDeleted, ...row }: MessageRow): DueMessage {
  const ids = messages === null ? null : (JSON.parse(messages) as readonly MessageId[]);
  return { ...row, messages: ids, isDeleted: isDeleted === 1 };
}

function withoutClaim({ attempts: _attempts, isDeleted: _isDeleted, ...message }: DueMessage): ScheduledMessage {
  return message;
}
