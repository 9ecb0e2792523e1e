import type { MessageId, ServerId } from "../../core/ids.ts";
import {
  combineMessageDeliveries,
  decodeAttempt,
  eraseAttemptHeaders,
  withQuarantine,
  filterConditions,
  isVisible,
  splitAttempts,
} from "./delivery-columns.ts";
import type {
  CallbackOutcome,
  CallbackStore,
  DeliveryFilter,
  NewDelivery,
  PendingReport,
  ProcessedChanges,
  StoredDelivery,
  RecordedOutcome,
} from "../callback-store.ts";
import type { DeliveryState } from "../outbox-store.ts";
import { claims } from "../queues/leased-tables.ts";
import type { JournalRows } from "../records/server-position.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { DeliveryInserts } from "./delivery-inserts.ts";
import { DeliveryOutcomes, ReportRows } from "./delivery-outcomes.ts";
import { TargetRows } from "./target-rows.ts";

/** Row of {@link deliveryColumns}. */
export interface DeliveryRow extends Omit<StoredDelivery, "deliversMessage" | "attempts"> {
  readonly deliversMessage: number;
  readonly attempts: string;
  readonly quarantinedAt: number | null;
}

/** Columns of a delivery that is claimed or read. */
export const deliveryColumns = `id, number, server, target, queue, message, delivers_message as "deliversMessage", type,
  attempts_max as "attemptsMax", first_due_at as "dueAt", created_at as "createdAt", status, due_at as "nextAttemptAt",
  attempt_count as "attemptCount", schedule_step as "scheduleStep", attempts, content, quarantined_at as "quarantinedAt"`;

/** Returns the delivery of a row. */
export function toDelivery({ quarantinedAt, ...row }: DeliveryRow): StoredDelivery {
  return {
    ...row,
    deliversMessage: row.deliversMessage === 1,
    attempts: withQuarantine(splitAttempts(row.attempts).map(decodeAttempt), { ...row, quarantinedAt }),
    content: row.content === null ? null : new Uint8Array(row.content),
  };
}

const isReplayable =
  "due_at is null and content is not null and (delivers_message = 0 or message is null or is_message_stored = 1)";
const replay = `update callback_delivery set status = 'Pending', schedule_step = 0, ${claims.ended}, due_at =`;
const cancel = `update callback_delivery set is_message_stored = 0, lease = null, due_at = null, ${claims.ended},
  status = case when due_at is null and quarantined_at is null then status else 'Cancelled' end where is_message_stored = 1 and`;

/** Statements about deliveries of callbacks. Their guarantees are those of `CallbackStore`. */
export class DeliveryRows extends DialectRows {
  readonly #inserts = new DeliveryInserts(this.dialect);
  readonly #outcomes: DeliveryOutcomes;
  readonly #reports = new ReportRows(this.dialect);
  readonly targets: TargetRows;

  constructor(dialect: SqlDialect, journal: JournalRows) {
    super(dialect);
    this.targets = new TargetRows(dialect, journal);
    this.#outcomes = new DeliveryOutcomes(dialect, journal);
  }

  *getCallbackDelivery(id: string): Query<StoredDelivery | undefined> {
    return (yield* this.#find(`id = $1 and ${isVisible}`, [id]))[0];
  }

  *getMessageDelivery(message: MessageId): Query<DeliveryState | undefined> {
    const condition = `message = $1 and delivers_message = 1 and ${isVisible} order by number`;
    return combineMessageDeliveries(yield* this.#find(condition, [message]));
  }

  *listDeliveries(
    server: ServerId,
    filter: DeliveryFilter,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Query<readonly StoredDelivery[]> {
    const { condition, values } = filterConditions(this.dialect, server, filter);
    const [limitAt, offsetAt] = [values.length + 1, values.length + 2];
    return yield* this.#find(
      `${condition} order by number desc limit cast($${limitAt} as integer) offset cast($${offsetAt} as integer)`,
      [...values, limit, offset],
    );
  }

  *#find(condition: string, values: readonly unknown[]): Query<readonly StoredDelivery[]> {
    const sql = `select ${deliveryColumns} from callback_delivery where ${condition}`;
    return (yield* rowsOf<DeliveryRow>(sql, values)).map(toDelivery);
  }

  /** Moves the cursor first: its lock serialises nodes that process the same changes. */
  *processChanges({ server, deliveries, from, to }: ProcessedChanges): Query<boolean> {
    if (!(yield* this.targets.moveCursor(server, { from, to }))) return false;
    yield* this.addDeliveries(deliveries);
    return true;
  }

  *listPendingReports(limit: number): Query<readonly PendingReport[]> {
    return yield* this.#reports.list(limit);
  }

  *finishReports({ reports, deliveries }: Parameters<CallbackStore["finishReports"]>[0]): Query<void> {
    yield* this.#reports.remove(reports);
    yield* this.addDeliveries(deliveries);
  }

  *addDeliveries(deliveries: readonly NewDelivery[]): Query<void> {
    yield* this.#inserts.add(deliveries);
  }

  /** Adds deliveries whose messages the transaction stores. */
  *addWithMessages(deliveries: readonly NewDelivery[]): Query<void> {
    yield* this.#inserts.add(deliveries, { messagesStored: true });
  }

  /** Returns how many deliveries are not stored yet and deliver a message. */
  *countNewOutbound(deliveries: readonly NewDelivery[]): Query<number> {
    return yield* this.#inserts.countNewOutbound(deliveries);
  }

  /** Records outcomes of attempts; those of lost leases are undefined. */
  *recordOutcomes(outcomes: readonly CallbackOutcome[]): Query<readonly (RecordedOutcome | undefined)[]> {
    return yield* this.#outcomes.record(outcomes);
  }

  *replayDeliveries(ids: readonly string[], now: number): Query<number> {
    const { isAmong, list } = this.dialect;
    const found = `${isAmong("id", "$1", "text")} and ${isReplayable} and ${isVisible}`;
    return (yield* rowsOf(`${replay} $2 where ${found} returning 1 as one`, [list(ids), now])).length;
  }

  *replayMatching(
    server: ServerId,
    filter: DeliveryFilter,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Query<number> {
    const { condition, values } = filterConditions(this.dialect, server, filter);
    const [nowAt, limitAt] = [values.length + 1, values.length + 2];
    const rows = yield* rowsOf(
      `${replay} $${nowAt} where id in (
         select id from callback_delivery where ${condition} and ${isReplayable}
         order by number limit cast($${limitAt} as integer))
       and ${isReplayable} returning 1 as one`,
      [...values, now, limit],
    );
    return rows.length;
  }

  *eraseDelivery(id: string): Query<boolean> {
    const { forUpdate, overwriting } = this.dialect;
    const [row] = yield* rowsOf<Pick<DeliveryRow, "attempts">>(
      `select attempts from callback_delivery where id = $1 and ${isVisible} ${forUpdate}`,
      [id],
    );
    if (row === undefined) return false;
    yield* overwriting(
      rowsOf(
        `update callback_delivery set content = null, attempts = $2, lease = null, due_at = null, ${claims.ended},
           status = case when status in ('Pending', 'Quarantined') then 'Cancelled' else status end where id = $1`,
        [id, splitAttempts(row.attempts).map(eraseAttemptHeaders).join("\n")],
      ),
    );
    return true;
  }

  *removeDeliveries(before: number, limit: number): Query<number> {
    // Found first: PostgreSQL may run a subquery of "in" for each row, and skip the rows already deleted.
    const old = yield* rowsOf<{ readonly id: string }>(
      `select id from callback_delivery where created_at < $1 and is_message_stored = 0 and (due_at is null
         or exists (select 1 from callback_target t where t.id = callback_delivery.target and t.state <> 'active'))
       order by created_at limit cast($2 as integer) ${this.dialect.skipLocked}`,
      [before, limit],
    );
    return yield* this.#remove(old);
  }

  *#remove(rows: readonly { readonly id: string }[]): Query<number> {
    const { isAmong, list } = this.dialect;
    if (rows.length === 0) return 0;
    const sql = `delete from callback_delivery where ${isAmong("id", "$1", "text")}`;
    yield* rowsOf(sql, [list(rows.map(({ id }) => id))]);
    return rows.length;
  }

  /** Cancels the deliveries of deleted messages. */
  *cancelOfMessages(messages: readonly MessageId[]): Query<void> {
    const { isAmong, list } = this.dialect;
    yield* rowsOf(`${cancel} ${isAmong("message", "$1", "uuid")}`, [list(messages)]);
  }

  /** Cancels the deliveries of all messages of an emptied server. */
  *cancelOfServer(server: ServerId): Query<void> {
    yield* rowsOf(`${cancel} server = $1`, [server]);
  }

  /** Removes the targets and deliveries of a deleted server; most deliveries are purged in the background. */
  *removeOfServer(server: ServerId): Query<void> {
    yield* this.targets.removeOfServer(server);
    yield* rowsOf("delete from callback_delivery where server = $1 and target is null", [server]);
  }

  /** Whether deliveries of removed targets wait for being deleted. */
  *hasPurge(): Query<boolean> {
    return (yield* rowsOf("select 1 from callback_purge limit 1")).length > 0;
  }

  /**
   * Deletes at most `limit` deliveries of a removed target that no other node has locked; false when there is none. The queue
   * of targets is a table, so that a restart, or another node, resumes it.
   */
  *purge(limit: number): Query<boolean> {
    const [queued] = yield* rowsOf<{ readonly target: string }>(
      `select target from callback_purge order by target limit 1 ${this.dialect.skipLocked}`,
    );
    if (queued === undefined) return false;
    const { target } = queued;
    const rows = yield* rowsOf<{ readonly id: string }>(
      "select id from callback_delivery where target = $1 order by number limit cast($2 as integer)",
      [target, limit],
    );
    if ((yield* this.#remove(rows)) === 0) yield* rowsOf("delete from callback_purge where target = $1", [target]);
    return true;
  }
}
