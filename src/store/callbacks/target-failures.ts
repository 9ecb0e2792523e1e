import { disablingReason, failureGapMsMax } from "../target-failures.ts";
import { DialectRows } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Last state of a target in a batch of outcomes. */
export interface TargetResult {
  readonly target: string;
  readonly hasSucceeded: boolean;
  /** Instant of the last failure after the last success, in milliseconds since the Unix epoch; null without one. */
  readonly failedAt: number | null;
}

/** Statements about streaks of failures of targets, which are given by their stored ids. */
export class TargetFailures extends DialectRows {
  readonly #clear: string = `delete from callback_failure where ${this.dialect.isAmong("target", "$1", "text")}`;
  readonly #fail = this.dialect.forEachRow<{ readonly target: string; readonly since: number }>(
    { target: "text", at: "number" },
    ({ of, from }) => `
      insert into callback_failure as f (target, since, last)
      select ${of("target")}, ${of("at")}, ${of("at")} ${from} where true
      on conflict (target) do update set
        since = case when f.last < excluded.last - ${failureGapMsMax} then excluded.last else f.since end,
        last = case when f.last < excluded.last then excluded.last else f.last end
      returning target, since`,
  );

  /** Records the results of targets; returns the reasons to disable some of them. */
  *record(results: readonly TargetResult[]): Query<ReadonlyMap<string, string>> {
    // In one order, so that two nodes do not wait for each other.
    const ordered = results.toSorted((a, b) => (a.target < b.target ? -1 : 1));
    yield* this.clear(ordered.filter(({ hasSucceeded }) => hasSucceeded).map(({ target }) => target));
    const failed = ordered.flatMap(({ target, failedAt }) => (failedAt === null ? [] : [{ target, failedAt }]));
    const rows = yield* this.#fail(failed.map(({ target, failedAt }) => [target, failedAt]));
    const failedAt = new Map(failed.map((one) => [one.target, one.failedAt]));
    return new Map(
      rows.flatMap(({ target, since }) => {
        const reason = disablingReason({ since, at: failedAt.get(target) ?? since });
        return reason === null ? [] : [[target, reason] as const];
      }),
    );
  }

  /** Ends the streaks of targets. */
  *clear(targets: readonly string[]): Query<void> {
    if (targets.length > 0) yield* rowsOf(this.#clear, [this.dialect.list(targets)]);
  }
}
