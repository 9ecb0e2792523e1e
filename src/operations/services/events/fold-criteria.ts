import { criterionNames, criterionTargets, givenCriteria } from "../../../core/criteria.ts";
import type { Criteria, CriterionTarget } from "../../../core/criteria.ts";
import { invalidField } from "../../../core/errors.ts";
import type { EventMessage } from "../../../core/events.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { foldAddress, foldText } from "../../../core/fold.ts";
import type { SearchTerm } from "../../../core/search/search-expression.ts";

const folding: Readonly<Record<CriterionTarget["kind"], (value: string) => string>> = {
  address: foldAddress,
  label: (value) => value,
  text: foldText,
};

/**
 * Returns the folded criteria. Throws a 400 that names every wrong field, also for NUL, which folded texts do not contain.
 */
export function foldCriteria(criteria: Criteria, searchTextLengthMax: number): Criteria {
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

/** Returns whether a new message meets a term, as in the store; null when only the store knows. */
export function meetsArrivalTerm(message: EventMessage, term: SearchTerm): boolean | null {
  if (term.kind === "text") return message[term.field]?.includes(term.term) ?? null;
  if (term.kind !== "key") return term.kind === "always" ? true : null;
  const keys = message[term.role];
  return keys === null ? null : keys?.includes(term.key) === true;
}
