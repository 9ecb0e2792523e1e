import { criterionNames, criterionTargets } from "../../../core/criteria.ts";
import type { EventMessage } from "../../../core/events.ts";
import type { FoldedCriteria } from "../../../store/store.ts";

/** Returns whether a message matches the criteria as in the store; also true when its keys are not known. */
export function matchesCriteria(message: EventMessage, criteria: FoldedCriteria): boolean {
  const isAll = criteria.match === "ALL";
  for (const name of criterionNames) {
    const value = criteria[name];
    if (value === undefined) continue;
    const target = criterionTargets[name];
    const known = target.kind === "text" ? message[target.field] : message[target.role];
    const isMet = known === null || known?.includes(value) === true;
    if (isMet !== isAll) return isMet;
  }
  return isAll;
}
