import type { BackgroundTask } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { isWorkerDeath } from "../core/worker-death.ts";
import type { WorkOutcome } from "../store/leased-queue.ts";
import type { Claimed } from "./claims.ts";
import type { EndedAttempt } from "./queue-definition.ts";

/** Work with the number of its attempts, including this one. */
export interface CountedWork {
  readonly id: string;
  readonly attempts: number;
}

/** Rules of {@link attemptEach}. */
export interface EachRules<Item extends CountedWork> {
  readonly clock: Pick<Clock, "now">;
  /** Pauses after the first, second, … failed attempt; the work is dropped after the last. */
  readonly pausesMs: readonly number[];
  /** Called after a failed attempt; `isDropped` when it was the last. */
  readonly onFailed: (item: Item, failure: { readonly error: unknown; readonly isDropped: boolean }) => void;
}

/**
 * Returns the attempt of a queue whose work is independent: `run` does one piece and resolves when it is done, with the instant
 * at which it is due again, or with "recorded" when it has recorded the outcome. When it rejects, the work is retried.
 */
export function attemptEach<Item extends CountedWork>(
  { clock, pausesMs, onFailed }: EachRules<Item>,
  run: (item: Item, lease: string) => Promise<number | "recorded" | null>,
): (
  first: Claimed<Item>,
  lane: unknown,
  task: Pick<BackgroundTask, "failed">,
) => Promise<EndedAttempt<Item, WorkOutcome>> {
  return async (first, _lane, task) => {
    const { item, lease } = first;
    const outcomeOf = async (): Promise<WorkOutcome | null> => {
      try {
        const dueAt = await run(item, lease);
        return dueAt === "recorded" ? null : { id: item.id, lease, dueAt };
      } catch (error) {
        const isDeath = isWorkerDeath(error);
        // Soon, so that it is soon known whether it ends its worker again, and is quarantined.
        const pauseMs = pausesMs[isDeath ? 0 : item.attempts - 1];
        task.failed(error, pauseMs);
        onFailed(item, { error, isDropped: pauseMs === undefined });
        return { id: item.id, lease, dueAt: pauseMs === undefined ? null : clock.now() + pauseMs, isDeath };
      }
    };
    return { carried: [first], outcomes: [await outcomeOf()] };
  };
}
