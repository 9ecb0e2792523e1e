import type { MessageId } from "../../../core/ids.ts";
import { dueAfter, encodeAttempt } from "../../callback-attempts.ts";
import { attemptsKeptMax, type CallbackOutcome } from "../../callback-store.ts";
import { lockServer } from "../account/servers.ts";
import type { Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";
import { appendChange } from "../messages/changes.ts";
import { serverIdOf } from "../messages/id-slots.ts";
import { isVisible } from "./delivery-rows.ts";
import { addReports, type DeliveredMessage } from "./pending-reports.ts";

const record = `
  update callback_delivery set status = o.status, due_at = o.due_at, lease = null,
    attempts = (attempts || o.attempt)[greatest(1, cardinality(attempts) + 2 - ${attemptsKeptMax}):]
  from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[]) as o(id, lease, status, due_at, attempt)
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

/** Implements `recordAttempts` of the contract with one statement, and one more for each rare consequence. */
export async function recordAttempts(
  session: Session,
  outcomes: readonly CallbackOutcome[],
): Promise<readonly ({ readonly sequence: number | null } | undefined)[]> {
  if (outcomes.length === 0) return [];
  const first = new Map<string, CallbackOutcome>();
  for (const outcome of outcomes) if (!first.has(keyOf(outcome))) first.set(keyOf(outcome), outcome);
  const unique = [...first.values()];
  await lockServersOfFailed(session, unique);
  const rows = await session.query<RecordedRow>(record, [
    unique.map(({ delivery }) => toText(delivery)),
    unique.map(({ lease }) => toText(lease)),
    unique.map(({ status }) => status),
    unique.map(dueAfter),
    unique.map(({ attempt }) => encodeAttempt(attempt)),
  ]);
  await addReports(session, deliveredIn(rows, first));
  const recorded = new Map(rows.map((row) => [keyOf({ delivery: fromText(row.id), lease: fromText(row.lease) }), row]));
  const results: ({ readonly sequence: number | null } | undefined)[] = [];
  for (const outcome of outcomes) {
    const row = recorded.get(keyOf(outcome));
    // The first outcome ends the lease.
    recorded.delete(keyOf(outcome));
    results.push(row === undefined ? undefined : { sequence: await follow(session, outcome, row) });
  }
  return results;
}

/** Returns the messages that the recorded outcomes have delivered. */
function deliveredIn(
  rows: readonly RecordedRow[],
  outcomes: ReadonlyMap<string, CallbackOutcome>,
): readonly DeliveredMessage[] {
  return rows.flatMap(({ id, lease, message, delivers_message: deliversMessage, server_id: server }) => {
    const outcome = outcomes.get(keyOf({ delivery: fromText(id), lease: fromText(lease) }));
    if (outcome?.status !== "Delivered" || !deliversMessage || message === null) return [];
    return [{ message, server, at: outcome.attempt.startedAt + outcome.attempt.durationMs }];
  });
}

/** Locks the rows of servers whose journal gets a change before any delivery, as deletions do, in the order of numbers. */
async function lockServersOfFailed(session: Session, outcomes: readonly CallbackOutcome[]): Promise<void> {
  const failed = outcomes.filter(({ status }) => status === "Failed").map(({ delivery }) => toText(delivery));
  if (failed.length === 0) return;
  const rows = await session.query<{ server_id: number }>(
    `select distinct server_id from callback_delivery where id = any($1::text[]) and delivers_message
     order by server_id`,
    [failed],
  );
  for (const { server_id: server } of rows) await lockServer(session, serverIdOf(server));
}

function keyOf({ delivery, lease }: Pick<CallbackOutcome, "delivery" | "lease">): string {
  return JSON.stringify([delivery, lease]);
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
