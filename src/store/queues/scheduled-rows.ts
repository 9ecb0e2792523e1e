/** Messages that arrive later, for both databases. Guarantees are those of `ScheduledMessageStore`. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { hasQuota, noQuota, requireRoom, type ServerQuota, type ServerUsage } from "../../core/server.ts";
import {
  heldBytes,
  scheduledChunks,
  type DueMessage,
  type HeldPage,
  type NewScheduledMessage,
  type ScheduledMessage,
  type ScheduledMessageStore,
  type ScheduleLimits,
} from "../scheduled-message-store.ts";
import { lockServer, type ServerPosition } from "../records/server-position.ts";
import { type TeamAddition, TeamLimitRows } from "../records/team-limit-rows.ts";
import type { Calls } from "../sql/calls.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { claims } from "./leased-tables.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Row of {@link scheduledColumns}. */
export interface ScheduledRow extends Omit<DueMessage, "messages" | "isDeleted"> {
  readonly messages: string | null;
  readonly isDeleted: number;
}

/** Columns of a message that arrives later. */
export const scheduledColumns = `id, send_at as "sendAt", accepted_at as "acceptedAt", json, messages, raw_size as "rawBytes",
  attempts, is_deleted as "isDeleted", quarantined_at as "quarantinedAt"`;

/** Condition of messages of `$1` that their sender may cancel or change. */
const isPending = "id = $1 and messages is null and accepted_at is null";
/** Condition of held messages of `$1` whose arrival has not begun. */
const isHeld = "id = $1 and messages is null and held_bytes is not null";

/** Statements about messages that arrive later. */
export class ScheduledRows extends DialectRows {
  /** Limits of teams, which held messages are compared with too. */
  readonly teamLimits: TeamLimitRows = new TeamLimitRows(this.dialect);
  readonly #quota: ServerQuota;

  /** `quota` is that of servers without one of their own. */
  constructor(dialect: SqlDialect, quota: ServerQuota = noQuota) {
    super(dialect);
    this.#quota = quota;
  }

  *addScheduledMessages(messages: readonly NewScheduledMessage[], limits: ScheduleLimits): Query<boolean> {
    const { isAmong, list } = this.dialect;
    const ids = list(messages.map(({ id }) => id));
    const taken = yield* rowsOf(`select 1 from scheduled_email where ${isAmong("id", "$1", "uuid")}`, [ids]);
    if (taken.length > 0) return false;
    for (const [server, own] of Map.groupBy(messages, ({ id }) => decodeMessageId(id).server)) {
      yield* this.#requirePlace(server, own, limits);
    }
    const counts = yield* this.#requireHeldQuota(messages.filter(({ acceptedAt }) => acceptedAt !== null));
    for (const message of messages) yield* this.#insert(message);
    yield* this.teamLimits.countTeams(counts);
    return true;
  }

  /**
   * Locks the servers of held messages. Throws `recipient_unknown` when one does not exist, and as {@link requireQuota} and the
   * limits of teams do; returns the counts of teams.
   */
  *#requireHeldQuota(held: readonly NewScheduledMessage[]): ReturnType<TeamLimitRows["requireTeamRoom"]> {
    const byServer = Map.groupBy(held, ({ id }) => decodeMessageId(id).server);
    const additions: TeamAddition[] = [];
    for (const server of [...byServer.keys()].toSorted()) {
      const position = yield* lockServer(this.dialect, server);
      if (position === undefined) throw new Problem("recipient_unknown");
      const own = byServer.get(server) ?? [];
      const bytes = own.reduce((sum, message) => sum + heldBytes(message), 0);
      const added = { messages: own.length, bytes };
      yield* this.requireQuota(server, position, added);
      const sms = own.filter(({ raw }) => raw.length === 0).length;
      const at = Math.max(...own.map(({ acceptedAt }) => acceptedAt ?? 0));
      additions.push({ team: position.team, server, ...added, sms, at, outbound: { count: 0, now: at } });
    }
    return yield* this.teamLimits.requireTeamRoom(additions);
  }

  /**
   * Throws `quota_exceeded` when a server, whose row the transaction has locked, would exceed its quota. Its held messages count
   * as if they were stored.
   */
  *requireQuota(server: ServerId, position: ServerPosition, added: ServerUsage): Query<void> {
    const { receivedCount, sentCount, byteCount, quotaMessages, quotaBytes } = position;
    const own = { messages: quotaMessages, bytes: quotaBytes };
    if (!hasQuota(own, this.#quota)) return;
    const held = yield* this.measureHeldMessages(server);
    const used = { messages: receivedCount + sentCount + held.messages, bytes: byteCount + held.bytes };
    requireRoom(`Server ${server}`, { used, added }, { own, fallback: this.#quota });
  }

  /** Throws `limit_reached`; nodes may exceed the limits together. */
  *#requirePlace(server: ServerId, messages: readonly NewScheduledMessage[], limits: ScheduleLimits): Query<void> {
    const [present] = yield* rowsOf<{ readonly count: number; readonly bytes: number }>(
      `select count(*) as count, cast(coalesce(sum(raw_size), 0) as bigint) as bytes from scheduled_email where server = $1`,
      [server],
    );
    const bytes = messages.reduce((sum, { raw }) => sum + raw.length, present?.bytes ?? 0);
    if ((present?.count ?? 0) + messages.length > limits.countMax || bytes > limits.bytesMax) {
      throw new Problem("limit_reached");
    }
  }

  *#insert(message: NewScheduledMessage): Query<void> {
    const { id, sendAt, acceptedAt, json, raw } = message;
    const held = [acceptedAt, acceptedAt === null ? null : heldBytes(message)] as const;
    yield* rowsOf(
      `insert into scheduled_email (id, server, send_at, due_at, attempts, json, raw_size, accepted_at, held_bytes)
       values ($1, $2, $3, $3, 0, $4, $5, $6, $7)`,
      [id, decodeMessageId(id).server, sendAt, json, raw.length, ...held],
    );
    for (const [position, bytes] of scheduledChunks(raw).entries()) {
      yield* rowsOf("insert into scheduled_chunk (email, position, bytes) values ($1, $2, $3)", [id, position, bytes]);
    }
  }

  *getScheduledMessage(id: MessageId): Query<ScheduledMessage | undefined> {
    const [row] = yield* rowsOf<ScheduledRow>(
      `select ${scheduledColumns} from scheduled_email where id = $1 and is_deleted = 0`,
      [id],
    );
    return row === undefined ? undefined : withoutClaim(this.toMessage(row));
  }

  /** Returns a chunk of the raw bytes. */
  *getChunk(id: MessageId, position: number): Query<Uint8Array | undefined> {
    const sql = "select bytes from scheduled_chunk where email = $1 and position = $2";
    return (yield* rowsOf<{ readonly bytes: Uint8Array }>(sql, [id, position]))[0]?.bytes;
  }

  *rescheduleMessage(id: MessageId, sendAt: number): Query<boolean> {
    const ended = `lease = null, attempts = 0, ${claims.ended}`;
    return yield* isAnyChanged(`update scheduled_email set send_at = $2, due_at = $2, ${ended} where ${isPending}`, [
      id,
      sendAt,
    ]);
  }

  *cancelScheduledMessage(id: MessageId): Query<boolean> {
    return yield* remove(id, isPending);
  }

  *withdrawHeldMessages(ids: readonly MessageId[]): Query<void> {
    for (const id of ids) yield* remove(id, isHeld);
  }

  *listHeldMessages(server: ServerId, page: number, itemsPerPage: number): Query<HeldPage> {
    const rows = yield* rowsOf<ScheduledRow>(
      `select ${scheduledColumns} from scheduled_email where server = $1 and held_bytes is not null
       and (messages is null or quarantined_at is not null)
       order by send_at, id limit cast($2 as integer) offset cast($3 as integer)`,
      [server, itemsPerPage + 1, page * itemsPerPage],
    );
    const messages = rows.slice(0, itemsPerPage).map((row) => withoutClaim(this.toMessage(row)));
    return { messages, hasMore: rows.length > itemsPerPage };
  }

  *measureHeldMessages(server: ServerId): Query<ServerUsage> {
    const [row] = yield* rowsOf<ServerUsage>(
      `select count(*) as messages, cast(coalesce(sum(held_bytes), 0) as bigint) as bytes from scheduled_email
       where server = $1 and held_bytes is not null`,
      [server],
    );
    return { messages: row?.messages ?? 0, bytes: row?.bytes ?? 0 };
  }

  *beginArrival(id: MessageId, lease: string, messages: readonly MessageId[]): Query<boolean> {
    const ids = JSON.stringify(messages);
    const values = [id, lease, ids];
    return yield* isAnyChanged("update scheduled_email set messages = $3 where id = $1 and lease = $2", values);
  }

  /** Deletes the held messages of a server: the next claims remove them in small steps, as their raw bytes may be large. */
  *deleteHeld(server: ServerId): Query<void> {
    yield* rowsOf(
      `update scheduled_email set is_deleted = 1, held_bytes = null, lease = null, due_at = 0, ${claims.ended}
       where server = $1 and held_bytes is not null`,
      [server],
    );
  }

  /** Returns the message of a row. */
  toMessage({ messages, isDeleted, ...row }: ScheduledRow): DueMessage {
    const ids = messages === null ? null : (JSON.parse(messages) as readonly MessageId[]);
    return { ...row, messages: ids, isDeleted: isDeleted === 1 };
  }
}

function* isAnyChanged(sql: string, values: readonly unknown[]): Query<boolean> {
  return (yield* rowsOf(`${sql} returning 1 as one`, values)).length > 0;
}

function* remove(id: MessageId, condition: string): Query<boolean> {
  const isRemoved = yield* isAnyChanged(`delete from scheduled_email where ${condition}`, [id]);
  if (isRemoved) yield* rowsOf("delete from scheduled_chunk where email = $1", [id]);
  return isRemoved;
}

function withoutClaim({ attempts: _attempts, isDeleted: _isDeleted, ...message }: DueMessage): ScheduledMessage {
  return message;
}

/** Creates the store of messages that arrive later. */
export function createScheduledStore(
  rows: Calls<ScheduledRows>,
  queue: ScheduledMessageStore["queue"],
): ScheduledMessageStore {
  return {
    ...rows,
    queue,
    // Chunk by chunk, so that the thread of the sockets is never held for long.
    getScheduledRaw: async (id) => {
      const message = await rows.getScheduledMessage(id);
      if (message === undefined) return undefined;
      const raw = new Uint8Array(message.rawBytes);
      let length = 0;
      for (let position = 0; length < raw.length; position += 1) {
        const chunk = await rows.getChunk(id, position);
        if (chunk === undefined) return undefined;
        raw.set(chunk, length);
        length += chunk.length;
        await nextTurn();
      }
      return raw;
    },
  };
}
