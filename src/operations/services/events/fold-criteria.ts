import { criterionNames, criterionTargets, givenCriteria } from "../../../core/criteria.ts";
import type { Criteria, CriterionTarget } from "../../../core/criteria.ts";
import { invalidField } from "../../../core/errors.ts";
import type { EventMessage } from "../../../core/events.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { foldAddress, foldText } from "../../../core/fold.ts";
import type { FoldedCriteria } from "../../../store/store.ts";

const folding: Readonly<Record<CriterionTarget["kind"], (value: string) => string>> = {
  address: foldAddress,
  label: (value) => value,
  text: foldText,
};

/**
 * Returns the folded criteria. Throws a 400 that names every wrong field, also for NUL, which folded texts do not contain.
 */
export function foldCriteria(criteria: Criteria, searchTextLengthMax: number): FoldedCriteria {
  checkCriteria(criteria, searchTextLengthMax);
  const given = givenCriteria(criteria);
  if (given.length === 0) {
    const names = `${criterionNames.slice(0, -1).join(", ")} and ${criterionNames.at(-1) ?? ""}`;
    throw invalidField("criteria", `Give at least one of ${names}`, "required");
  }
  const folded = given.map((name) => [name, folding[criterionTargets[name].kind](criteria[name] ?? "")] as const);
  return { ...Object.fromEntries(folded), match: criteria.match };
}

/** Throws a 400 that names every criterion that is too long or contains NUL. */
export function checkCriteria(partial: Partial<Criteria>, lengthMax: number): void {
  const criteria: Criteria = { match: "ALL", ...partial };
  const errors = new FieldCollector();
  const description = `At most ${String(lengthMax)} characters can be searched for`;
  for (const field of givenCriteria(criteria)) {
    const value = criteria[field] ?? "";
    if (value.length > lengthMax) errors.add({ field, description, code: "too_long" });
    else if (value.includes("\0")) errors.add({ field, description: "Must not contain NUL", code: "invalid" });
  }
  errors.finish();
}

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
