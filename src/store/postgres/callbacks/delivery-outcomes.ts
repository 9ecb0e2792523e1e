import type { MessageId } from "../../../core/ids.ts";
import { dueAfter, encodeAttempt } from "../../callback-attempts.ts";
import type { Lease } from "../../leased-queue.ts";
import { attemptsKeptMax, type CallbackOutcome } from "../../callback-store.ts";
import type { RecordedOutcome } from "../../target-failures.ts";
import { lockServer } from "../account/servers.ts";
import { intArray } from "../connection/arrays.ts";
import type { Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";
import { appendChange } from "../messages/changes.ts";
import { serverIdOf } from "../messages/id-slots.ts";
import { isVisible } from "./delivery-rows.ts";
import { addReports, type DeliveredMessage } from "./pending-reports.ts";
import { recordTargetResults, type TargetResult } from "./target-failures.ts";

/** `coalesce`, because Citus crashes when it deparses an assignment that begins with a subscript or a slice. */
const record = `
  update callback_delivery set status = o.status, due_at = o.due_at, lease = null, open_claims = open_claims * o.death,
    attempts = coalesce((attempts || o.attempt)[greatest(1, cardinality(attempts) + 2 - ${attemptsKeptMax}):], '{}')
  from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::int4[])
    as o(id, lease, status, due_at, attempt, death)
  where callback_delivery.id = o.id and callback_delivery.lease = o.lease and callback_delivery.due_at is not null
    and ${isVisible}
  returning callback_delivery.id, o.lease, server_id, message, delivers_message, target`;

interface RecordedRow {
  readonly id: string;
  readonly lease: string;
  readonly server_id: number;
  readonly message: MessageId | null;
  readonly delivers_message: boolean;
  readonly target: string | null;
}

/** Records outcomes with one statement, and one more for each rare consequence. */
export async function recordAttempts(
  session: Session,
  outcomes: readonly CallbackOutcome[],
): Promise<readonly (RecordedOutcome | undefined)[]> {
  if (outcomes.length === 0) return [];
  const first = new Map<string, CallbackOutcome>();
  for (const outcome of outcomes) if (!first.has(keyOf(outcome))) first.set(keyOf(outcome), outcome);
  const unique = [...first.values()];
  await lockServersOfFailed(session, unique);
  const rows = await session.query<RecordedRow>(record, [
    unique.map(({ id }) => toText(id)),
    unique.map(({ lease }) => toText(lease)),
    unique.map(({ status }) => status),
    unique.map(dueAfter),
    unique.map(({ attempt }) => encodeAttempt(attempt)),
    intArray(unique.map(({ isDeath = false }) => (isDeath ? 1 : 0))),
  ]);
  await addReports(session, deliveredIn(rows, first));
  const recorded = new Map(rows.map((row) => [keyOf({ id: fromText(row.id), lease: fromText(row.lease) }), row]));
  const disabled = await disableFailing(session, rows, first);
  const results: (RecordedOutcome | undefined)[] = [];
  for (const outcome of outcomes) {
    const row = recorded.get(keyOf(outcome));
    // The first outcome ends the lease.
    recorded.delete(keyOf(outcome));
    if (row === undefined) results.push(undefined);
    else {
      const reason = outcome.isTargetFailing === true ? disabled.get(row.target ?? "") : undefined;
      if (reason !== undefined) disabled.delete(row.target ?? "");
      const sequence = await follow(session, outcome, row);
      results.push({ sequence, ...(reason !== undefined && { disabled: reason }) });
    }
  }
  return results;
}

/** Disables the active targets that have failed for days; returns the reasons by their stored ids. */
async function disableFailing(
  session: Session,
  rows: readonly RecordedRow[],
  outcomes: ReadonlyMap<string, CallbackOutcome>,
): Promise<Map<string, string>> {
  const targets = new Map(rows.map((row) => [keyOf({ id: fromText(row.id), lease: fromText(row.lease) }), row.target]));
  const results = new Map<string, TargetResult>();
  for (const [key, { isTargetFailing, attempt }] of outcomes) {
    const target = targets.get(key) ?? null;
    if (target === null || isTargetFailing === undefined) continue;
    const { hasSucceeded = false } = results.get(target) ?? {};
    const failedAt = isTargetFailing ? attempt.startedAt + attempt.durationMs : null;
    results.set(target, { target, hasSucceeded: hasSucceeded || !isTargetFailing, failedAt });
  }
  const reasons = await recordTargetResults(session, [...results.values()]);
  const disabled = new Map<string, string>();
  for (const [target, reason] of reasons) {
    const changed = await session.query(
      `update callback_target set state = 'disabled', state_reason = $2, version = version + 1
       where id = $1 and state = 'active' returning 1`,
      [target, toText(reason)],
    );
    if (changed.length > 0) disabled.set(target, reason);
  }
  return disabled;
}

/** Returns the messages that the recorded outcomes have delivered. */
function deliveredIn(
  rows: readonly RecordedRow[],
  outcomes: ReadonlyMap<string, CallbackOutcome>,
): readonly DeliveredMessage[] {
  return rows.flatMap(({ id, lease, message, delivers_message: deliversMessage, server_id: server }) => {
    const outcome = outcomes.get(keyOf({ id: fromText(id), lease: fromText(lease) }));
    if (outcome?.status !== "Delivered" || !deliversMessage || message === null) return [];
    return [{ message, server, at: outcome.attempt.startedAt + outcome.attempt.durationMs }];
  });
}

/** Locks the rows of servers whose journal gets a change before any delivery, as deletions do, in the order of numbers. */
async function lockServersOfFailed(session: Session, outcomes: readonly CallbackOutcome[]): Promise<void> {
  const failed = outcomes.filter(({ status }) => status === "Failed").map(({ id }) => toText(id));
  if (failed.length === 0) return;
  const rows = await session.query<{ server_id: number }>(
    `select distinct server_id from callback_delivery where id = any($1::text[]) and delivers_message
     order by server_id`,
    [failed],
  );
  for (const { server_id: server } of rows) await lockServer(session, serverIdOf(server));
}

function keyOf({ id, lease }: Lease): string {
  return JSON.stringify([id, lease]);
}

async function follow(
  session: Session,
  { status, disables }: CallbackOutcome,
  { server_id: server, message, delivers_message: deliversMessage, target }: RecordedRow,
): Promise<number | null> {
  if (disables !== undefined && target !== null) {
    await session.query(
      `update callback_target set state = 'disabled', state_reason = $2, version = version + 1
       where id = $1 and state <> 'disabled'`,
      [target, toText(disables.reason)],
    );
  }
  const fails = status === "Failed" && deliversMessage && message !== null;
  return fails ? await appendChange(session, server, { kind: "failed", id: message }) : null;
}
