/** Streaks of failures of targets, for use inside the writer's transaction. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { disablingReason, failureGapMsMax } from "../../target-failures.ts";

/** Records the failures and successes of targets. */
export class TargetFailures {
  readonly #clear: StatementSync;
  readonly #fail: StatementSync;

  constructor(database: DatabaseSync) {
    this.#clear = database.prepare("delete from callback_failure where target = ?");
    this.#fail = database.prepare(
      `insert into callback_failure (target, since, last) values (?1, ?2, ?2)
       on conflict (target) do update set
         since = case when last < ?2 - ${failureGapMsMax} then ?2 else since end, last = max(last, ?2)
       returning since`,
    );
  }

  /** Ends the streak of a target. */
  clear(target: string): void {
    this.#clear.run(target);
  }

  /** Records a failure; returns the reason to disable the target, or null. */
  fail(target: string, at: number): string | null {
    return disablingReason({ since: Number(this.#fail.get(target, at)?.["since"]), at });
  }
}
