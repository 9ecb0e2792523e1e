import type { FaultDecision, FaultOccurrence } from "../../core/fault.ts";

/** Fault rules, as listeners apply them. */
export interface Faults {
  /**
   * Counts an occurrence at the rules that match it, and returns the decision; null at once where no rule exists for its
   * servers and stage. Never rejects: while the store is unavailable, no rule applies.
   */
  decide(occurrence: FaultOccurrence): Promise<FaultDecision | null> | null;
}

/** Creates faults without rules. */
export function createFaults(): Faults {
  return { decide: () => null };
}
