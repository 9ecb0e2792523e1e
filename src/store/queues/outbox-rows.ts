import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { DeliveryStatus } from "../../core/delivery.ts";
import { ReportRows } from "../callbacks/delivery-outcomes.ts";
import {
  type AttemptOutcome,
  type DeliveryState,
  type NewOutboxEntry,
  type OutboundEntries,
  type OutboxEntry,
  type RecordedAttempt,
  spendAllowance,
  type OutboundAllowance,
  type OutboundWindow,
} from "../outbox-store.ts";
import { lockServer, type JournalRows } from "../records/server-position.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { claims } from "./leased-tables.ts";

/** Row of a claimed entry. */
export interface EntryRow extends Omit<OutboxEntry, "rcptTo"> {
  readonly rcptTo: string;
}

/** Columns of {@link EntryRow}. */
export const entryColumns = `entry as id, message, route, mail_from as "mailFrom", rcpt_to as "rcptTo", content, attempts,
  updated_at as at`;

const held = "entry = $1 and lease = $2 and due_at is not null";

/** Statements about the outbox. Their guarantees are those of `OutboxStore`. */
export class OutboxRows extends DialectRows {
  readonly #journal: JournalRows;
  readonly #reports = new ReportRows(this.dialect);

  constructor(dialect: SqlDialect, journal: JournalRows) {
    super(dialect);
    this.#journal = journal;
  }

  *getDelivery(message: MessageId): Query<DeliveryState | undefined> {
    const epoch = yield* this.#epochOf(decodeMessageId(message).server);
    const rows = yield* rowsOf<DeliveryState>(
      `select status, attempts, last_error as "lastError", updated_at as "updatedAt" from outbox
       where epoch = $1 and message = $2 order by updated_at, entry`,
      [epoch, message],
    );
    return rows.length === 0 ? undefined : summarize(rows);
  }

  /**
   * Adds outbox entries, in the transaction that stores their messages, or throws `too_many_requests` before anything is
   * written. `count` new deliveries count against the allowance: with the entries also those that the caller adds.
   */
  *add({ entries = [], allowance = null }: OutboundEntries, count: number): Query<void> {
    if (allowance !== null && count > 0) yield* this.#spend(allowance, count);
    for (const entry of entries) yield* this.#addEntry(entry);
  }

  /** Returns how many entries are queued and not stored yet. */
  *countNewEntries(entries: readonly NewOutboxEntry[]): Query<number> {
    const { isAmong, list } = this.dialect;
    const queued = entries.filter(({ status }) => status === "Queued").map(({ id }) => id);
    if (queued.length === 0) return 0;
    const present = yield* rowsOf(`select 1 from outbox where ${isAmong("entry", "$1", "text")}`, [list(queued)]);
    return queued.length - present.length;
  }

  /** Locks the row of the current hour until the commit, so that the counts of all nodes are serialised. */
  *#spend(allowance: OutboundAllowance, count: number): Query<void> {
    const [window] = yield* rowsOf<OutboundWindow>(
      `select leaving_started_at as "startedAt", leaving_count as count from state ${this.dialect.forUpdate}`,
    );
    const spent = spendAllowance(window ?? { startedAt: 0, count: 0 }, allowance, count);
    yield* rowsOf("update state set leaving_started_at = $1, leaving_count = $2", [spent.startedAt, spent.count]);
  }

  *#addEntry({ message, content, status, attempts = 1, lastError, at, ...entry }: NewOutboxEntry): Query<void> {
    const epoch = message === null ? null : yield* this.#epochOf(decodeMessageId(message).server);
    const isFinished = status !== "Queued";
    const state = [status, isFinished ? attempts : 0, lastError, at, isFinished ? null : at];
    const envelope = [entry.route, entry.mailFrom, JSON.stringify(entry.rcptTo)];
    yield* rowsOf(
      `insert into outbox
         (entry, epoch, message, route, mail_from, rcpt_to, content, status, attempts, last_error, updated_at, due_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (entry) do nothing`,
      [entry.id, epoch, message, ...envelope, content, ...state],
    );
  }

  *#epochOf(server: ServerId): Query<number | null> {
    const { serverKey, toServer } = this.dialect;
    const sql = `select epoch from server where ${serverKey} = $1`;
    return (yield* rowsOf<{ readonly epoch: number }>(sql, [toServer(server)]))[0]?.epoch ?? null;
  }

  /** Records outcomes of attempts; those of lost leases are undefined. Locks the row of the server first, as everywhere. */
  *recordAttempts(outcomes: readonly AttemptOutcome[]): Query<readonly (RecordedAttempt | undefined)[]> {
    const recorded: (RecordedAttempt | undefined)[] = [];
    for (const outcome of outcomes) recorded.push(yield* this.#record(outcome));
    return recorded;
  }

  *#record(outcome: AttemptOutcome): Query<RecordedAttempt | undefined> {
    const { id, lease, status, at } = outcome;
    const [found] = yield* rowsOf<{ readonly epoch: number | null; readonly message: MessageId | null }>(
      `select epoch, message from outbox where ${held}`,
      [id, lease],
    );
    if (found === undefined) return undefined;
    const { epoch, message } = found;
    if (message === null) return (yield* this.#update(outcome, status !== "Queued")) ? { sequence: null } : undefined;
    const server = yield* lockServer(this.dialect, decodeMessageId(message).server);
    if (server?.epoch !== epoch || !(yield* this.#update(outcome, false))) return undefined;
    if (status === "Sent") yield* this.#reports.add([{ message, server: decodeMessageId(message).server, at }]);
    return { sequence: status === "Failed" ? yield* this.#journal.append(server.number, "failed", message) : null };
  }

  /** Returns false when the lease was lost. */
  *#update({ id, lease, status, lastError, at, dueAt }: AttemptOutcome, removes: boolean): Query<boolean> {
    const names = [id, lease];
    if (removes) return (yield* rowsOf(`delete from outbox where ${held} returning entry`, names)).length > 0;
    const updated = yield* rowsOf(
      `update outbox set status = $3, last_error = $4, updated_at = $5, due_at = $6, lease = null, ${claims.ended}
       where ${held} returning entry`,
      [...names, status, lastError, at, dueAt],
    );
    return updated.length > 0;
  }

  /** Removes one entry, even while it is leased. */
  *removeEntry(entry: string): Query<void> {
    yield* rowsOf("delete from outbox where entry = $1", [entry]);
  }

  /** Removes the entries of deleted messages. */
  *removeOf(epoch: number, messages: readonly MessageId[]): Query<void> {
    const { isAmong, list } = this.dialect;
    yield* rowsOf(`delete from outbox where epoch = $1 and ${isAmong("message", "$2", "uuid")}`, [
      epoch,
      list(messages),
    ]);
  }

  /** Returns the entry of a row. */
  toEntry(row: EntryRow): OutboxEntry {
    return { ...row, rcptTo: JSON.parse(row.rcptTo) as readonly string[] };
  }
}

/** Returns the delivery of a message from its entries; the worst status wins. */
function summarize(rows: readonly DeliveryState[]): DeliveryState {
  const worst: readonly DeliveryStatus[] = ["Failed", "Queued"];
  const status = worst.find((one) => rows.some((row) => row.status === one)) ?? "Sent";
  const errors = rows.filter((row) => row.lastError !== null);
  const lastError = (errors.findLast((row) => row.status === status) ?? errors.at(-1))?.lastError ?? null;
  return {
    status,
    attempts: Math.max(...rows.map((row) => row.attempts)),
    lastError,
    updatedAt: Math.max(...rows.map((row) => row.updatedAt)),
  };
}
