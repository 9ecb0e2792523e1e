/** Fault rules, as listeners apply them. */
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import type { FaultDecision, FaultHit, FaultOccurrence } from "../../core/fault.ts";
import type { Store } from "../../store/store.ts";

/** Fault rules of servers and of the service. */
export interface Faults {
  /**
   * Counts an occurrence at the rules that match it, and returns the decision; null at once where no rule exists for its
   * servers and stage. Never rejects: while the store is unavailable, no rule applies.
   */
  decide(occurrence: FaultOccurrence): Promise<FaultDecision | null> | null;
}

/** Dependencies of {@link createFaults}. */
export interface FaultsDependencies {
  readonly store: Pick<Store, "faults">;
  readonly clock: Pick<Clock, "now">;
  /** Reports decisions that the store could not make. */
  readonly task: Pick<BackgroundTask, "succeeded" | "failed">;
  /** Called for each rule that applied. */
  readonly onHit: (hit: FaultHit) => void;
}

/** Creates the fault rules of a store. */
export function createFaults({ store, clock, task, onHit }: FaultsDependencies): Faults {
  const settle = async (pending: Promise<FaultDecision | null>): Promise<FaultDecision | null> => {
    try {
      const decision = await pending;
      task.succeeded();
      for (const hit of decision?.hits ?? []) onHit(hit);
      return decision;
    } catch (error) {
      task.failed(error);
      return null;
    }
  };
  return {
    decide: (occurrence) => {
      const pending = store.faults.decideFault(occurrence, clock.now());
      return pending === null ? null : settle(pending);
    },
  };
}
