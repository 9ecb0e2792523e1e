import { criterionNames, criterionTargets } from "../../../core/criteria.ts";
import type { EventMessage } from "../../../core/events.ts";
import type { FoldedCriteria } from "../../../store/store.ts";

/** Returns whether a message matches the criteria as in the store; null when that depends on keys that are not known. */
export function matchesCriteria(message: EventMessage, criteria: FoldedCriteria): boolean | null {
  const isAll = criteria.match === "ALL";
  let isKnown = true;
  for (const name of criterionNames) {
    const value = criteria[name];
    if (value === undefined) continue;
    const target = criterionTargets[name];
    const known = target.kind === "text" ? message[target.field] : message[target.role];
    if (known === null) isKnown = false;
    else if ((known?.includes(value) === true) !== isAll) return !isAll;
  }
  return isKnown ? isAll : null;
}
