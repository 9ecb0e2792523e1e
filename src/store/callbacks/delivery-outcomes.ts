import type { MessageId, ServerId } from "../../core/ids.ts";
import { dueAfter, encodeAttempt, isVisible, splitAttempts } from "./delivery-columns.ts";
import { attemptsKeptMax, type CallbackOutcome, type PendingReport, type RecordedOutcome } from "../callback-store.ts";
import { lockServer, type JournalRows } from "../records/server-position.ts";
import { DialectRows, type ForEachRow, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { TargetFailures, type TargetResult, disableTarget } from "./target-rows.ts";
import { randomUUID } from "node:crypto";

interface LeasedRow {
  readonly id: string;
  readonly lease: string;
  readonly server: ServerId;
  readonly target: string | null;
  readonly message: MessageId | null;
  readonly deliversMessage: number;
  readonly attempts: string;
}

/** Outcome of an attempt whose lease was not lost, its place among all, and its delivery. */
interface Held {
  readonly at: number;
  readonly outcome: CallbackOutcome;
  readonly row: LeasedRow;
}

/** Statements that record outcomes: few for all, and one more for each rare consequence. */
export class DeliveryOutcomes extends DialectRows {
  readonly #journal: JournalRows;
  readonly #reports = new ReportRows(this.dialect);
  readonly #failures = new TargetFailures(this.dialect);
  readonly #leased: string;
  readonly #update: ForEachRow;

  constructor(dialect: SqlDialect, journal: JournalRows) {
    super(dialect);
    const { isAmong, forUpdate } = dialect;
    this.#journal = journal;
    this.#leased = `
      select id, lease, server, target, message, delivers_message as "deliversMessage", attempts
      from callback_delivery where ${isAmong("id", "$1", "text")} and lease is not null
        and due_at is not null and ${isVisible} ${forUpdate}`;
    this.#update = dialect.forEachRow(
      { id: "text", status: "text", due_at: "number", attempts: "text", death: "integer" },
      ({ of, from }) =>
        `update callback_delivery set status = ${of("status")}, due_at = ${of("due_at")}, attempts = ${of("attempts")}, lease = null,
           open_claims = open_claims * ${of("death")}
         ${from} where callback_delivery.id = ${of("id")}`,
    );
  }

  /** Records outcomes of attempts; those of lost leases are undefined. */
  *record(outcomes: readonly CallbackOutcome[]): Query<readonly (RecordedOutcome | undefined)[]> {
    const held = yield* this.#hold(outcomes);
    yield* this.#update(held.map(stateAfter));
    yield* this.#reports.add(
      held.flatMap(({ outcome: { status, attempt }, row }) => {
        if (status !== "Delivered" || !isDelivery(row)) return [];
        return [{ message: row.message, server: row.server, at: attempt.startedAt + attempt.durationMs }];
      }),
    );
    const reasons = yield* this.#disableFailing(held);
    const recorded = new Map<number, RecordedOutcome>();
    for (const { at, outcome, row } of held) {
      const { disables, isTargetFailing } = outcome;
      const target = row.target ?? "";
      const disabled = isTargetFailing === true ? reasons.get(target) : undefined;
      if (disabled !== undefined) reasons.delete(target);
      if (disables !== undefined && row.target !== null) {
        yield* disableTarget(target, disables.reason, { onlyActive: false });
      }
      const sequence = yield* this.#appendFailure(outcome, row);
      recorded.set(at, { sequence, ...(disabled !== undefined && { disabled }) });
    }
    return outcomes.map((_, at) => recorded.get(at));
  }

  /** Locks the deliveries of the leases that were not lost; the first outcome of a lease ends it. */
  *#hold(outcomes: readonly CallbackOutcome[]): Query<readonly Held[]> {
    if (outcomes.length === 0) return [];
    const { list } = this.dialect;
    yield* this.#lockServersOfFailed(outcomes);
    const ids = outcomes.map(({ id }) => id);
    const rows = yield* rowsOf<LeasedRow>(this.#leased, [list(ids)]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return outcomes.flatMap((outcome, at) => {
      const id = ids[at] ?? "";
      const row = byId.get(id);
      if (row?.lease !== outcome.lease) return [];
      byId.delete(id);
      return [{ at, outcome, row }];
    });
  }

  /** Locks the rows of servers whose journal gets a change before any delivery, as deletions do, in the order of numbers. */
  *#lockServersOfFailed(outcomes: readonly CallbackOutcome[]): Query<void> {
    const { isAmong, list } = this.dialect;
    const failed = outcomes.filter(({ status }) => status === "Failed").map(({ id }) => id);
    if (failed.length === 0) return;
    const rows = yield* rowsOf<Pick<LeasedRow, "server">>(
      `select distinct server from callback_delivery
       where ${isAmong("id", "$1", "text")} and delivers_message = 1 order by server`,
      [list(failed)],
    );
    for (const { server } of rows) yield* lockServer(this.dialect, server);
  }

  /** Disables the active targets that have failed for days; returns the reasons by their stored ids. */
  *#disableFailing(held: readonly Held[]): Query<Map<string, string>> {
    const results = new Map<string, TargetResult>();
    for (const { outcome, row } of held) {
      const { isTargetFailing, attempt } = outcome;
      const { target } = row;
      if (target === null || isTargetFailing === undefined) continue;
      const { hasSucceeded = false } = results.get(target) ?? {};
      const failedAt = isTargetFailing ? attempt.startedAt + attempt.durationMs : null;
      results.set(target, { target, hasSucceeded: hasSucceeded || !isTargetFailing, failedAt });
    }
    const disabled = new Map<string, string>();
    for (const [target, reason] of yield* this.#failures.record([...results.values()])) {
      const isDisabled = yield* disableTarget(target, reason, { onlyActive: true });
      if (isDisabled) disabled.set(target, reason);
    }
    return disabled;
  }

  /** Appends the change of a message whose delivery has failed; returns its number, or null without one. */
  *#appendFailure({ status }: CallbackOutcome, row: LeasedRow): Query<number | null> {
    if (status !== "Failed" || !isDelivery(row)) return null;
    const server = yield* lockServer(this.dialect, row.server);
    return server === undefined ? null : yield* this.#journal.append(server.number, "failed", row.message);
  }
}

function stateAfter({ outcome, row }: Held): readonly unknown[] {
  const { status, attempt, isDeath = false } = outcome;
  const attempts = [...splitAttempts(row.attempts), encodeAttempt(attempt)].slice(-attemptsKeptMax);
  return [row.id, status, dueAfter(outcome), attempts.join("\n"), isDeath ? 1 : 0];
}

function isDelivery(row: LeasedRow): row is LeasedRow & { readonly message: MessageId } {
  return row.deliversMessage === 1 && row.message !== null;
}

/** Returns a new id; ids are in the order of `at`, the instant of the delivery in milliseconds since the Unix epoch. */
function newReportId(at: number): string {
  return `${String(Math.floor(at)).padStart(16, "0")}-${randomUUID()}`;
}

/** Message that was delivered. */
export interface DeliveredMessage {
  readonly message: MessageId;
  readonly server: ServerId;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Statements about reports of delivered messages, until events are made of them. */
export class ReportRows extends DialectRows {
  readonly #insert: ForEachRow = this.dialect.forEachRow(
    { id: "text", message: "uuid", server: "text" },
    ({ of, from }) =>
      `insert into callback_report (id, message) select ${of("id")}, ${of("message")} ${from}
       where exists (select 1 from callback_cursor c where c.server = ${of("server")})`,
  );

  /** Adds reports of messages whose servers have targets, in the transaction of the attempts. */
  *add(delivered: readonly DeliveredMessage[]): Query<void> {
    yield* this.#insert(delivered.map(({ message, server, at }) => [newReportId(at), message, server]));
  }

  *list(limit: number): Query<readonly PendingReport[]> {
    const sql = "select id, message from callback_report order by id limit cast($1 as integer)";
    return yield* rowsOf<PendingReport>(sql, [limit]);
  }

  *remove(ids: readonly string[]): Query<void> {
    const { isAmong, list } = this.dialect;
    yield* rowsOf(`delete from callback_report where ${isAmong("id", "$1", "text")}`, [list(ids)]);
  }
}
