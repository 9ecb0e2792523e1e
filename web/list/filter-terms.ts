/** Terms of `q` that the list offers as filters. */
import { asOneTerm, operatorOf } from "../navigation/query-text.ts";
import { termsOf, withoutTerm, withTerms, type MailQuery } from "../navigation/mail-query.ts";

/** Terms that the filters above the list switch, in their order. */
export const filterTerms = ["is:unread", "is:flagged", "has:code", "has:attachment"] as const;

/** Returns whether a term is one of {@link filterTerms}. */
export function isFilterTerm(term: string): boolean {
  return filterTerms.some((one) => one === term);
}

/** Returns whether a query has a term. */
export function hasTerm(query: MailQuery, term: string): boolean {
  return termsOf(query.q).includes(term);
}

/** Returns whether a query asks for a tag. */
export function hasTagTerm({ q, criteria }: MailQuery): boolean {
  return criteria.tag !== undefined || termsOf(q).some((term) => operatorOf(term)?.operator === "tag");
}

/** Returns the query without a term or, when it does not have it, with it. */
export function toggleTerm(query: MailQuery, term: string): MailQuery {
  const terms = termsOf(query.q);
  const index = terms.indexOf(term);
  return index < 0 ? withTerms({ ...query, q: asOneTerm(terms) }, term) : withoutTerm(query, index);
}

/**
 * Returns `q` for the messages of a query that were received before an instant, in milliseconds since the epoch: with both
 * times of the query as operators.
 */
export function boundedQuery(query: MailQuery, before: number): string {
  const after = query.receivedAfter === "" ? [] : [`after:${Date.parse(query.receivedAfter) + 1}`];
  return [asOneTerm(termsOf(query.q)), ...after, `before:${before}`].filter((one) => one !== "").join(" ");
}
