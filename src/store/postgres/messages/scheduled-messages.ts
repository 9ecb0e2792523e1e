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
import { uuidArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";
import { bytesOf, serverNumberOf } from "./id-slots.ts";

interface EmailRow {
  readonly id: MessageId;
  readonly send_at: number;
  readonly json: string;
  readonly messages: string | null;
  readonly raw_size: number;
  readonly attempts: number;
}

const columns = "id, send_at, json, messages, raw_size, attempts";

/** Scheduled mails of all nodes. */
export class ScheduledMessages implements ScheduledMessageStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async addScheduledMessages(emails: readonly NewScheduledMessage[], limits: ScheduleLimits): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      const ids = uuidArray(emails.map(({ id }) => bytesOf(id).id));
      const taken = await session.query("select 1 from scheduled_email where id = any($1::uuid[])", [ids]);
      if (taken.length > 0) return false;
      for (const [server, own] of Map.groupBy(emails, ({ id }) => decodeMessageId(id).server)) {
        await requirePlace(session, { server, emails: own, limits });
      }
      for (const email of emails) await insert(session, email);
      return true;
    });
  }

  async getScheduledMessage(id: MessageId): Promise<ScheduledMessage | undefined> {
    const [row] = await this.#database.query<EmailRow>(`select ${columns} from scheduled_email where id = $1`, [id]);
    if (row === undefined) return undefined;
    const { attempts: _attempts, ...email } = toEmail(row);
    return email;
  }

  async getScheduledRaw(id: MessageId): Promise<Uint8Array | undefined> {
    const email = await this.getScheduledMessage(id);
    if (email === undefined) return undefined;
    const raw = new Uint8Array(email.rawBytes);
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
      `update scheduled_email set send_at = $2, due_at = $2, lease = null, attempts = 0
       where id = $1 and messages is null returning id`,
      [id, sendAt],
    );
    return changed.length > 0;
  }

  async cancelScheduledMessage(id: MessageId): Promise<boolean> {
    return await this.#remove("id = $1 and messages is null", [id]);
  }

  async claimScheduledMessages({ now, leasedUntil, lease, countMax }: ScheduleClaim): Promise<readonly DueMessage[]> {
    return await this.#database.transact(async (session) => {
      const due = await session.query<{ id: MessageId }>(
        "select id from scheduled_email where due_at <= $1 order by due_at, id limit $2 for update skip locked",
        [now, countMax],
      );
      if (due.length === 0) return [];
      const rows = await session.query<EmailRow>(
        `update scheduled_email set attempts = attempts + 1, due_at = $1, lease = $2 where id = any($3::uuid[])
         returning ${columns}`,
        [leasedUntil, toText(lease), uuidArray(due.map(({ id }) => bytesOf(id).id))],
      );
      return rows.map(toEmail);
    });
  }

  async beginArrival(id: MessageId, lease: string, messages: readonly MessageId[]): Promise<boolean> {
    const begun = await this.#database.query(
      "update scheduled_email set messages = $3 where id = $1 and lease = $2 returning id",
      [id, toText(lease), JSON.stringify(messages)],
    );
    return begun.length > 0;
  }

  async postponeArrival(id: MessageId, lease: string, dueAt: number): Promise<void> {
    await this.#database.query(
      "update scheduled_email set messages = null, lease = null, due_at = $3 where id = $1 and lease = $2",
      [id, toText(lease), dueAt],
    );
  }

  async removeScheduledMessage(id: MessageId, lease: string): Promise<void> {
    await this.#remove("id = $1 and lease = $2", [id, toText(lease)]);
  }

  async nextScheduledAt(): Promise<number | null> {
    const [row] = await this.#database.query<{ due_at: number | null }>(
      "select min(due_at) as due_at from scheduled_email",
    );
    return row?.due_at ?? null;
  }

  async countScheduledMessages(): Promise<number> {
    const [row] = await this.#database.query<{ count: number }>("select count(*)::int4 as count from scheduled_email");
    return row?.count ?? 0;
  }

  async releaseScheduledMessages(now: number): Promise<void> {
    await this.#database.query("update scheduled_email set lease = null, due_at = $1 where lease is not null", [now]);
  }

  async #remove(condition: string, values: readonly [MessageId, ...string[]]): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      const removed = await session.query(`delete from scheduled_email where ${condition} returning id`, values);
      if (removed.length > 0) await session.query("delete from scheduled_chunk where email = $1", [values[0]]);
      return removed.length > 0;
    });
  }
}

async function insert(session: Session, { id, sendAt, json, raw }: NewScheduledMessage): Promise<void> {
  await session.query(
    `insert into scheduled_email (id, server_id, send_at, due_at, attempts, json, raw_size)
     values ($1, $2, $3, $3, 0, $4, $5)`,
    [id, serverNumberOf(decodeMessageId(id).server), sendAt, toText(json), raw.length],
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
  { server, emails, limits }: { server: ServerId; emails: readonly NewScheduledMessage[]; limits: ScheduleLimits },
): Promise<void> {
  const [held] = await session.query<{ count: number; bytes: number }>(
    `select count(*)::int4 as count, coalesce(sum(raw_size), 0)::int8 as bytes from scheduled_email
     where server_id = $1`,
    [serverNumberOf(server)],
  );
  const bytes = emails.reduce((sum, { raw }) => sum + raw.length, held?.bytes ?? 0);
  if ((held?.count ?? 0) + emails.length > limits.countMax || bytes > limits.bytesMax) {
    throw new Problem("limit_reached");
  }
}

function toEmail({ id, send_at: sendAt, json, messages, raw_size: rawBytes, attempts }: EmailRow): DueMessage {
  return {
    id,
    sendAt,
    json: fromText(json),
    messages: messages === null ? null : (JSON.parse(messages) as readonly MessageId[]),
    rawBytes,
    attempts,
  };
}
