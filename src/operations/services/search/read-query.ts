import { invalidField } from "../../../core/errors.ts";
import { parseQuery, type ParsedQuery, type QueryOptions } from "../../../core/search/parse-query.ts";
import { isTimeZone } from "../../../core/search/query-values.ts";
import type { Context } from "../../context.ts";

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
