import { criterionNames, criterionTargets } from "../../../core/criteria.ts";
import type { EventMessage } from "../../../core/events.ts";
import type { FoldedCriteria } from "../../../store/store.ts";

/** Returns whether a message meets the criteria as the store would find it; true as well where not enough is known of it. */
export function matchesCriteria(message: EventMessage, criteria: FoldedCriteria): boolean {
  const isAll = criteria.match === "ALL";
  for (const name of criterionNames) {
    const value = criteria[name];
    if (value === undefined) continue;
    const target = criterionTargets[name];
    const known = target.kind === "address" ? message[target.role] : message[target.field];
    const isMet = known === null || known.includes(value);
    if (isMet !== isAll) return isMet;
  }
  return isAll;
}
