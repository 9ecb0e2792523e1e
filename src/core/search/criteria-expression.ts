import { keyCriteria, textCriteria, type Criteria } from "../criteria.ts";
import { and, or, type SearchExpression } from "./search-expression.ts";

/** Returns the expression of folded criteria; without any, one that matches every message. */
export function criteriaExpression(criteria: Criteria): SearchExpression {
  const terms: readonly SearchExpression[] = [
    ...keyCriteria(criteria).map(({ role, key }) => ({ kind: "key" as const, role, key })),
    ...textCriteria(criteria).map(({ field, term }) => ({ kind: "text" as const, field, term })),
  ];
  return criteria.match === "ALL" || terms.length === 0 ? and(...terms) : or(...terms);
}
