import { invalidField } from "../../../core/errors.ts";
import { parseQuery, type ParsedQuery, type QueryOptions } from "../../../core/search/parse-query.ts";
import { isTimeZone } from "../../../core/search/query-values.ts";
import type { Context } from "../../context.ts";
import {
  criterionNames,
  criterionTargets,
  givenCriteria,
  type Criteria,
  type CriterionTarget,
} from "../../../core/criteria.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { foldAddress, foldText } from "../../../core/fold.ts";

/** Query of a caller, and its meaning. */
export interface SearchQuery extends ParsedQuery {
  readonly text: string;
}

/**
 * Parses a query of the dialect of the interface. Throws a 400 on `q` that names the first error and its position, and on
 * `timeZone`.
 */
export function readQuery(
  { clock, limits }: Context,
  query: string,
  { timeZone }: Pick<QueryOptions, "timeZone"> = {},
): SearchQuery {
  const lengthMax = limits.searchTextLengthMax;
  if (query.length > lengthMax) throw invalidField("q", `Must have at most ${lengthMax} characters`, "too_long");
  if (query.includes("\0")) throw invalidField("q", "Must not contain NUL");
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw invalidField("timeZone", "Must be the name of a time zone, such as Europe/Berlin");
  }
  const parsed = parseQuery(query, { now: clock.now(), timeZone });
  const [problem] = parsed.problems;
  if (problem !== undefined) throw invalidField("q", problem.description);
  return { ...parsed, text: query };
}

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
