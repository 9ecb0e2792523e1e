import { Problem } from "../../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import type { ServerQuota, ServerUsage } from "../../../core/server-quota.ts";
import {
  heldBytes,
  scheduledChunks,
  type DueMessage,
  type HeldPage,
  type NewScheduledMessage,
  type ScheduledMessage,
  type ScheduledMessageStore,
  type ScheduleLimits,
} from "../../scheduled-message-store.ts";
import { claims } from "../../queues/leased-tables.ts";
import { uuidArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";
import { openQueue } from "../queues/postgres-queues.ts";
import { measureHeld, requireHeldQuota } from "./held-messages.ts";
import { bytesOf, serverNumberOf } from "./id-slots.ts";

interface MessageRow {
  readonly id: MessageId;
  readonly send_at: number;
  readonly accepted_at: number | null;
  readonly json: string;
  readonly messages: string | null;
  readonly raw_size: number;
  readonly attempts: number;
  readonly is_deleted: boolean;
  readonly quarantined_at: number | null;
}

const columns = "id, send_at, accepted_at, json, messages, raw_size, attempts, is_deleted, quarantined_at";

/** Scheduled and held messages of all nodes. */
export class ScheduledMessages implements ScheduledMessageStore {
  readonly #database: Database;
  readonly #quota: ServerQuota;
  readonly queue: ScheduledMessageStore["queue"];

  /** `quota` is the quota of servers without one of their own. */
  constructor(database: Database, quota: ServerQuota) {
    this.#database = database;
    this.#quota = quota;
    this.queue = openQueue(database, "scheduled", { columns, toItem: toMessage });
  }

  async addScheduledMessages(messages: readonly NewScheduledMessage[], limits: ScheduleLimits): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      const ids = uuidArray(messages.map(({ id }) => bytesOf(id).id));
      const taken = await session.query("select 1 from scheduled_email where id = any($1::uuid[])", [ids]);
      if (taken.length > 0) return false;
      for (const [server, own] of Map.groupBy(messages, ({ id }) => decodeMessageId(id).server)) {
        await requirePlace(session, { server, messages: own, limits });
      }
      const held = messages.filter(({ acceptedAt }) => acceptedAt !== null);
      await requireHeldQuota(session, held, this.#quota);
      for (const message of messages) await insert(session, message);
      return true;
    });
  }

  async getScheduledMessage(id: MessageId): Promise<ScheduledMessage | undefined> {
    const [row] = await this.#database.query<MessageRow>(
      `select ${columns} from scheduled_email where id = $1 and not is_deleted`,
      [id],
    );
    return row === undefined ? undefined : withoutClaim(toMessage(row));
  }

  async getScheduledRaw(id: MessageId): Promise<Uint8Array | undefined> {
    const message = await this.getScheduledMessage(id);
    if (message === undefined) return undefined;
    const raw = new Uint8Array(message.rawBytes);
    let length = 0;
    for (let position = 0; length < raw.length; position += 1) {
      const [chunk] = await this.#database.query<{ bytes: Buffer }>(
        "select bytes from scheduled_chunk where email = $1 and position = $2",
        [id, position],
      );
      if (chunk === undefined) return undefined;
      raw.set(chunk.bytes, length);
      length += chunk.bytes.length;
    }
    return raw;
  }

  async rescheduleMessage(id: MessageId, sendAt: number): Promise<boolean> {
    const changed = await this.#database.query(
      `update scheduled_email set send_at = $2, due_at = $2, lease = null, attempts = 0, ${claims.ended}
       where id = $1 and messages is null and accepted_at is null returning id`,
      [id, sendAt],
    );
    return changed.length > 0;
  }

  async cancelScheduledMessage(id: MessageId): Promise<boolean> {
    return await this.#remove("id = $1 and messages is null and accepted_at is null", [id]);
  }

  async releaseHeldMessage(id: MessageId, now: number): Promise<boolean> {
    const released = await this.#database.query(
      `update scheduled_email set send_at = least(send_at, $2), due_at = $2, lease = null, ${claims.ended}
       where id = $1 and messages is null and held_bytes is not null returning id`,
      [id, now],
    );
    return released.length > 0;
  }

  async withdrawHeldMessages(ids: readonly MessageId[]): Promise<void> {
    for (const id of ids) await this.#remove("id = $1 and messages is null and held_bytes is not null", [id]);
  }

  async listHeldMessages(server: ServerId, page: number, itemsPerPage: number): Promise<HeldPage> {
    const rows = await this.#database.query<MessageRow>(
      `select ${columns} from scheduled_email where server_id = $1 and held_bytes is not null
       and (messages is null or quarantined_at is not null) order by send_at, id limit $2 offset $3`,
      [serverNumberOf(server), itemsPerPage + 1, page * itemsPerPage],
    );
    const messages = rows.slice(0, itemsPerPage).map((row) => withoutClaim(toMessage(row)));
    return { messages, hasMore: rows.length > itemsPerPage };
  }

  async measureHeldMessages(server: ServerId): Promise<ServerUsage> {
    return await measureHeld(this.#database, server);
  }

  async beginArrival(id: MessageId, lease: string, messages: readonly MessageId[]): Promise<boolean> {
    const begun = await this.#database.query(
      "update scheduled_email set messages = $3 where id = $1 and lease = $2 returning id",
      [id, toText(lease), JSON.stringify(messages)],
    );
    return begun.length > 0;
  }

  async #remove(condition: string, values: readonly [MessageId, ...string[]]): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      const removed = await session.query(`delete from scheduled_email where ${condition} returning id`, values);
      if (removed.length > 0) await session.query("delete from scheduled_chunk where email = $1", [values[0]]);
      return removed.length > 0;
    });
  }
}

async function insert(session: Session, message: NewScheduledMessage): Promise<void> {
  const { id, sendAt, acceptedAt, json, raw } = message;
  const held = [acceptedAt, acceptedAt === null ? null : heldBytes(message)] as const;
  await session.query(
    `insert into scheduled_email (id, server_id, send_at, due_at, attempts, json, raw_size, accepted_at, held_bytes)
     values ($1, $2, $3, $3, 0, $4, $5, $6, $7)`,
    [id, serverNumberOf(decodeMessageId(id).server), sendAt, toText(json), raw.length, ...held],
  );
  for (const [position, bytes] of scheduledChunks(raw).entries()) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const sql = "insert into scheduled_chunk (email, position, bytes) values ($1, $2, $3)";
    await session.query(sql, [id, position, chunk]);
  }
}

/** Rejects with `limit_reached`; nodes may exceed the limits together. */
async function requirePlace(
  session: Session,
  {
    server,
    messages,
    limits,
  }: {
    server: ServerId;
    messages: readonly NewScheduledMessage[];
    limits: ScheduleLimits;
  },
): Promise<void> {
  const [present] = await session.query<{ count: number; bytes: number }>(
    `select count(*)::int4 as count, coalesce(sum(raw_size), 0)::int8 as bytes from scheduled_email
     where server_id = $1`,
    [serverNumberOf(server)],
  );
  const bytes = messages.reduce((sum, { raw }) => sum + raw.length, present?.bytes ?? 0);
  if ((present?.count ?? 0) + messages.length > limits.countMax || bytes > limits.bytesMax) {
    throw new Problem("limit_reached");
  }
}

function toMessage({ id, json, messages, attempts, ...row }: MessageRow): DueMessage {
  return {
    id,
    sendAt: row.send_at,
    acceptedAt: row.accepted_at,
    json: fromText(json),
    messages: messages === null ? null : (JSON.parse(messages) as readonly MessageId[]),
    rawBytes: row.raw_size,
    quarantinedAt: row.quarantined_at,
    attempts,
    isDeleted: row.is_deleted,
  };
}

function withoutClaim({ attempts: _attempts, isDeleted: _isDeleted, ...message }: DueMessage): ScheduledMessage {
  return message;
}
