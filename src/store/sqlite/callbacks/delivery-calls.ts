/** Attempts of deliveries: claims, outcomes, replays; for use inside the writer's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { idToBytes, type MessageId, type ServerId } from "../../../core/ids.ts";
import { dueAfter, encodeAttempt, eraseAttemptHeaders } from "../../callback-attempts.ts";
import { attemptsKeptMax, type CallbackOutcome, type CallbackStore } from "../../callback-store.ts";
import type { RecordedOutcome } from "../../target-failures.ts";
import { ServerReads } from "../account/servers.ts";
import { Statements } from "../connection/connection.ts";
import { overwriting } from "../content/overwriting.ts";
import type { Journal } from "../messages/changes.ts";
import { DeliveryInserts } from "./delivery-inserts.ts";
import { filterConditions, isVisible, splitAttempts } from "./delivery-rows.ts";
import { claims } from "../../queues/leased-tables.ts";
import { ReportWrites } from "./pending-reports.ts";
import { TargetFailures } from "./target-failures.ts";
import { TargetWrites } from "./targets.ts";

/** Calls of the contract that only read. */
export type CallbackReadName =
  | "listTargets"
  | "getTarget"
  | "listLaggingServers"
  | "listTargetServers"
  | "listPendingReports"
  | "listDeliveries"
  | "getCallbackDelivery"
  | "getMessageDelivery";

/** Calls of the writer thread about callbacks, as in the contract. */
export type CallbackCalls = {
  readonly [Name in Exclude<keyof CallbackStore, CallbackReadName | "queue">]: (
    ...parameters: Parameters<CallbackStore[Name]>
  ) => Awaited<ReturnType<CallbackStore[Name]>>;
};

/** Returns the implementation of the calls. */
export function bindCallbackCalls(database: DatabaseSync, journal: Journal): CallbackCalls {
  const targets = new TargetWrites(database, journal);
  const inserts = new DeliveryInserts(database);
  const reports = new ReportWrites(database);
  return {
    addTarget: (target, rules) => targets.add(target, rules),
    updateTarget: (id, change, at) => targets.update(id, change, at),
    removeTarget: (id) => targets.remove(id),
    processChanges: ({ server, from, to, deliveries }) => {
      if (!targets.moveCursor(server, { from, to })) return false;
      inserts.add(deliveries);
      return true;
    },
    finishReports: (finished) => {
      reports.remove(finished.reports);
      inserts.add(finished.deliveries);
    },
    addDeliveries: (deliveries) => {
      inserts.add(deliveries);
    },
    ...bindReplays(database),
    ...bindRemovals(database),
  };
}

interface LeasedRow {
  readonly number: number;
  readonly server: ServerId;
  readonly target: string | null;
  readonly message: MessageId | null;
  readonly deliversMessage: number;
  readonly attempts: string;
}

/** Returns the function that records outcomes of deliveries, for use inside the writer's transaction. */
export function bindRecordDeliveries(
  database: DatabaseSync,
  journal: Journal,
): (outcomes: readonly CallbackOutcome[]) => readonly (RecordedOutcome | undefined)[] {
  const targets = new TargetWrites(database, journal);
  const reports = new ReportWrites(database);
  const failures = new TargetFailures(database);
  const servers = new ServerReads(database);
  const leased = database.prepare(
    `select number, server, target, message, delivers_message as deliversMessage, attempts from callback_delivery
     where id = ? and lease = ? and due_at is not null and ${isVisible}`,
  );
  const record = database.prepare(
    `update callback_delivery set status = ?, due_at = ?, attempts = ?, lease = null, open_claims = open_claims * ?
     where number = ?`,
  );
  /** Returns the reason for which the outcome has disabled its target by its failures; null otherwise. */
  const judge = ({ isTargetFailing, attempt }: CallbackOutcome, target: string | null): string | null => {
    if (target === null || isTargetFailing === undefined) return null;
    if (!isTargetFailing) failures.clear(target);
    const reason = isTargetFailing ? failures.fail(target, attempt.startedAt + attempt.durationMs) : null;
    return reason !== null && targets.disableActive(target, reason) ? reason : null;
  };
  const changeOf = ({ status, attempt }: CallbackOutcome, row: LeasedRow): number | null => {
    if (status === "Pending" || row.deliversMessage === 0 || row.message === null) return null;
    const position = servers.position(row.server);
    if (position === undefined) return null;
    if (status === "Failed") return journal.append(position.number, "failed", idToBytes(row.message));
    reports.add(row.message, { server: position.number, at: attempt.startedAt + attempt.durationMs });
    return null;
  };
  const recordOne = (outcome: CallbackOutcome): RecordedOutcome | undefined => {
    const { id, lease, status, attempt, disables, isDeath = false } = outcome;
    const row = leased.get(id, lease) as unknown as LeasedRow | undefined;
    if (row === undefined) return undefined;
    const attempts = [...splitAttempts(row.attempts), encodeAttempt(attempt)].slice(-attemptsKeptMax);
    record.run(status, dueAfter(outcome), attempts.join("\n"), isDeath ? 1 : 0, row.number);
    if (disables !== undefined && row.target !== null) targets.disable(row.target, disables.reason);
    const disabled = judge(outcome, row.target);
    return { sequence: changeOf(outcome, row), ...(disabled !== null && { disabled }) };
  };
  return (outcomes) => outcomes.map(recordOne);
}

function bindReplays(database: DatabaseSync): Pick<CallbackCalls, "replayDeliveries" | "replayMatching"> {
  const statements = new Statements(database);
  const isReplayable =
    "due_at is null and content is not null and (delivers_message = 0 or message is null or is_message_stored = 1)";
  const replay = `update callback_delivery set status = 'Pending', due_at = :now, schedule_step = 0, ${claims.ended} where`;
  const replayOne = database.prepare(`${replay} id = :id and ${isReplayable} and ${isVisible}`);
  return {
    replayDeliveries: (ids, now) => ids.reduce((count, id) => count + Number(replayOne.run({ id, now }).changes), 0),
    replayMatching: (server, filter, { now, limit }) => {
      const { condition, values } = filterConditions(server, filter);
      const matching = `select number from callback_delivery where ${condition} and ${isReplayable} order by number limit :limit + 0`;
      const statement = statements.get(`${replay} number in (${matching})`);
      return Number(statement.run({ ...values, now, limit }).changes);
    },
  };
}

function bindRemovals(database: DatabaseSync): Pick<CallbackCalls, "eraseDelivery" | "removeDeliveries"> {
  const find = database.prepare(`select number, attempts from callback_delivery where id = ? and ${isVisible}`);
  const erase = database.prepare(
    `update callback_delivery set content = null, attempts = ?, lease = null, due_at = null, ${claims.ended},
       status = case when status in ('Pending', 'Quarantined') then 'Cancelled' else status end where number = ?`,
  );
  const remove = database.prepare(
    `delete from callback_delivery where number in (
       select number from callback_delivery d where created_at < ? and is_message_stored = 0 and (due_at is null
         or exists (select 1 from callback_target t where t.id = d.target and t.state <> 'active'))
       order by created_at limit ? + 0)`,
  );
  return {
    eraseDelivery: (id) => {
      const row = find.get(id);
      if (row === undefined) return false;
      const attempts = splitAttempts(row["attempts"] as string).map(eraseAttemptHeaders);
      overwriting(database, () => {
        erase.run(attempts.join("\n"), Number(row["number"]));
      });
      return true;
    },
    removeDeliveries: (before, limit) => Number(remove.run(before, limit).changes),
  };
}
