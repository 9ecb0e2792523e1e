import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { DeliveryStatus } from "../../../core/delivery.ts";
import { decodeMessageId, idFromBytes, idToBytes } from "../../../core/ids.ts";
import type { MessageId } from "../../../core/ids.ts";
import type {
  AttemptOutcome,
  DeliveryState,
  OutboundEntries,
  NewOutboxEntry,
  OutboxEntry,
  OutboxRoute,
  RecordedAttempt,
} from "../../outbox-store.ts";
import { spendAllowance, type OutboundWindow } from "../../outbound-window.ts";
import { ReportWrites } from "../callbacks/pending-reports.ts";
import { claims } from "../../queues/leased-tables.ts";
import type { Journal } from "../messages/changes.ts";

/** Row of claimed work. */
export interface EntryRow {
  readonly id: string;
  readonly message: Uint8Array | null;
  readonly route: OutboxRoute;
  readonly mailFrom: string;
  readonly rcptTo: string;
  readonly content: Uint8Array | null;
  readonly attempts: number;
  readonly updatedAt: number;
}

/** Columns of {@link EntryRow}. */
export const entryColumns = `entry as id, id as message, route, mail_from as mailFrom, rcpt_to as rcptTo, content, attempts,
  updated_at as updatedAt`;

interface StateRow {
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly updatedAt: number;
}

/** Queries of the outbox. */
export class OutboxReads {
  readonly #states: StatementSync;

  constructor(database: DatabaseSync) {
    this.#states = database.prepare(
      `select status, attempts, last_error as lastError, updated_at as updatedAt from outbox
       where epoch = (select epoch from server where id = ?) and id = ? order by updated_at, number`,
    );
  }

  delivery(message: MessageId): DeliveryState | undefined {
    const rows = this.#states.all(decodeMessageId(message).server, idToBytes(message)) as unknown as StateRow[];
    return rows.length === 0 ? undefined : summarize(rows);
  }
}

/** Changes of the outbox, for use inside the writer's transaction. */
export class OutboxWrites {
  readonly #journal: Journal;
  readonly #reports: ReportWrites;
  readonly #exists: StatementSync;
  readonly #window: StatementSync;
  readonly #setWindow: StatementSync;
  readonly #insert: StatementSync;
  readonly #leased: StatementSync;
  readonly #record: StatementSync;
  readonly #removeFinished: StatementSync;
  readonly #removeEntry: StatementSync;
  readonly #removeOf: StatementSync;

  constructor(database: DatabaseSync, journal: Journal) {
    this.#journal = journal;
    this.#reports = new ReportWrites(database);
    this.#exists = database.prepare("select 1 from outbox where entry = ?");
    this.#window = database.prepare("select leaving_started_at as startedAt, leaving_count as count from state");
    this.#setWindow = database.prepare("update state set leaving_started_at = ?, leaving_count = ?");
    this.#insert = database.prepare(
      `insert or ignore into outbox
         (entry, epoch, id, route, mail_from, rcpt_to, content, status, attempts, last_error, updated_at, due_at)
       values (?, (select epoch from server where id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#leased = database.prepare(
      `select o.number, o.id, s.number as server from outbox o left join server s on s.epoch = o.epoch
       where o.entry = ? and o.lease = ? and o.due_at is not null`,
    );
    this.#record = database.prepare(
      `update outbox set status = ?, last_error = ?, updated_at = ?, due_at = ?, lease = null, ${claims.ended}
       where number = ?`,
    );
    this.#removeEntry = database.prepare("delete from outbox where entry = ?");
    this.#removeFinished = database.prepare("delete from outbox where number = ?");
    this.#removeOf = database.prepare("delete from outbox where epoch = ? and id = ?");
  }

  /**
   * Adds outbox entries, or throws `too_many_requests` before anything is written. `furtherCount` deliveries, which the
   * caller adds, count against the allowance too.
   */
  add({ entries = [], allowance = null }: OutboundEntries, furtherCount = 0): void {
    if (allowance !== null) {
      const fresh = entries.filter(({ id, status }) => status === "Queued" && this.#exists.get(id) === undefined);
      const count = fresh.length + furtherCount;
      const window = spendAllowance(this.#window.get() as unknown as OutboundWindow, allowance, count);
      if (count > 0) this.#setWindow.run(window.startedAt, window.count);
    }
    this.#addEntries(entries);
  }

  #addEntries(entries: readonly NewOutboxEntry[]): void {
    for (const { id, message, route, mailFrom, rcptTo, content, status, attempts = 1, lastError, at } of entries) {
      const server = message === null ? null : decodeMessageId(message).server;
      const bytes = message === null ? null : idToBytes(message);
      const isFinished = status !== "Queued";
      const state = [status, isFinished ? attempts : 0, lastError, at, isFinished ? null : at] as const;
      this.#insert.run(id, server, bytes, route, mailFrom, JSON.stringify(rcptTo), content, ...state);
    }
  }

  /** Records an outcome; returns undefined when the lease was lost. */
  record(outcome: AttemptOutcome): RecordedAttempt | undefined {
    const { id: entry, lease, status, lastError, at, dueAt } = outcome;
    const leased = this.#leased.get(entry, lease) as
      | { readonly number: number; readonly id: Uint8Array | null; readonly server: number | null }
      | undefined;
    if (leased === undefined) return undefined;
    if (leased.id === null && status !== "Queued") {
      this.#removeFinished.run(leased.number);
      return { sequence: null };
    }
    if (leased.id !== null && leased.server === null) return undefined;
    this.#record.run(status, lastError, at, dueAt, leased.number);
    if (leased.id === null || leased.server === null) return { sequence: null };
    if (status === "Sent") this.#reports.add(idFromBytes(leased.id), { server: leased.server, at });
    return { sequence: status === "Failed" ? this.#journal.append(leased.server, "failed", leased.id) : null };
  }

  /** Removes one entry, even while it is leased. */
  removeEntry(entry: string): void {
    this.#removeEntry.run(entry);
  }

  /** Removes the entries of a deleted message. */
  removeOf(epoch: number, message: Uint8Array): void {
    this.#removeOf.run(epoch, message);
  }
}

/** Returns the entry of a row. */
export function toEntry(row: EntryRow): OutboxEntry {
  const { id, message, route, mailFrom, content, attempts, updatedAt } = row;
  return {
    id,
    message: message === null ? null : idFromBytes(message),
    route,
    mailFrom,
    rcptTo: JSON.parse(row.rcptTo) as readonly string[],
    content,
    attempts,
    at: updatedAt,
  };
}

/** Returns the delivery of a message from its entries; the worst status wins. */
function summarize(rows: readonly StateRow[]): DeliveryState {
  const status = (["Failed", "Queued"] as const).find((one) => rows.some((row) => row.status === one)) ?? "Sent";
  const errors = rows.filter((row) => row.lastError !== null);
  return {
    status,
    attempts: Math.max(...rows.map((row) => row.attempts)),
    lastError: (errors.findLast((row) => row.status === status) ?? errors.at(-1))?.lastError ?? null,
    updatedAt: Math.max(...rows.map((row) => row.updatedAt)),
  };
}
