/** Streaks of failures of targets. */
import { disablingReason, failureGapMsMax } from "../../target-failures.ts";
import type { Session } from "../connection/database.ts";

/** Last state of a target in a batch of outcomes. */
export interface TargetResult {
  /** Stored id of the target. */
  readonly target: string;
  readonly hasSucceeded: boolean;
  /** Instant of the last failure after the last success, in milliseconds since the Unix epoch; null without one. */
  readonly failedAt: number | null;
}

/** Records the results of targets; returns the reasons to disable some of them, by their stored ids. */
export async function recordTargetResults(
  session: Session,
  results: readonly TargetResult[],
): Promise<ReadonlyMap<string, string>> {
  // In one order, so that two nodes do not wait for each other.
  const ordered = results.toSorted((a, b) => (a.target < b.target ? -1 : 1));
  await clearFailures(
    session,
    ordered.filter(({ hasSucceeded }) => hasSucceeded).map(({ target }) => target),
  );
  const failed = ordered.flatMap(({ target, failedAt }) => (failedAt === null ? [] : [{ target, failedAt }]));
  if (failed.length === 0) return new Map();
  const rows = await session.query<{ target: string; since: number }>(
    `insert into callback_failure as f (target, since, last)
     select o.target, o.at, o.at from unnest($1::text[], $2::float8[]) as o(target, at)
     on conflict (target) do update set
       since = case when f.last < excluded.last - ${failureGapMsMax} then excluded.last else f.since end,
       last = greatest(f.last, excluded.last)
     returning target, since`,
    [failed.map(({ target }) => target), failed.map(({ failedAt }) => failedAt)],
  );
  const failedAt = new Map(failed.map((one) => [one.target, one.failedAt]));
  return new Map(
    rows.flatMap(({ target, since }) => {
      const reason = disablingReason({ since, at: failedAt.get(target) ?? since });
      return reason === null ? [] : [[target, reason] as const];
    }),
  );
}

/** Ends the streaks of targets, given by their stored ids. */
export async function clearFailures(session: Session, targets: readonly string[]): Promise<void> {
  if (targets.length > 0) await session.query("delete from callback_failure where target = any($1::text[])", [targets]);
}
