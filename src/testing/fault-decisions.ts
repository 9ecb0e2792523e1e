import { actionOf, type FaultDecision, type FaultOccurrence, type FaultOutcome } from "../core/fault.ts";

/** Name of the rule in {@link faultDecision}. */
const ruleName = "the rule";

/** Returns the decision of a rule of the service that applies to an occurrence. */
export function faultDecision({ stage }: FaultOccurrence, then: FaultOutcome): FaultDecision {
  return { then, late: [], hits: [{ server: null, rule: ruleName, stage, action: actionOf(then) }] };
}
