import type { TextCriterion } from "../../../core/criteria.ts";
import { occurringTerms, requiredTerms } from "../../../core/search/search-expression.ts";
import type { SearchExpression, SearchTerm } from "../../../core/search/search-expression.ts";
import { addressKey } from "../messages/address-keys.ts";
import { writeExpression, type ExpressionScope } from "./expression-sql.ts";
import { addressPlan, wholePlan, type SearchPlan } from "./search-plan.ts";

/** Returns the plan of a search by an expression: over the index of a key that every match has, or over all messages. */
export function planExpression(expression: SearchExpression, scope: ExpressionScope): SearchPlan {
  const { condition, conditionWithoutBodies, values } = writeExpression(expression, scope);
  const required = requiredTerms(expression);
  const key = required.find(isIndexedKey);
  const { texts, isRequired } = indexedTexts(expression);
  const excludesBodies = occurringTerms(expression).some(
    ({ term, isNegated }) => isNegated && term.kind === "text" && term.field === "body",
  );
  // Where bodies are excluded, most messages match as long as they are not compared.
  const withoutBodies = excludesBodies ? `(${conditionWithoutBodies} and ${condition})` : conditionWithoutBodies;
  return {
    ...(key === undefined ? wholePlan : addressPlan),
    condition,
    readsTexts: true,
    wholeCondition: condition,
    indexedTexts: texts,
    match: isRequired ? "ALL" : "ANY",
    conditionWithoutTexts: isRequired ? null : withoutBodies,
    values: key === undefined ? values : { ...values, address: addressKey(key.role, key.key).toString("hex") },
  };
}

/** Returns whether a term is a key; tags may be stored in several spellings. */
function isIndexedKey(term: SearchTerm): term is SearchTerm & { readonly kind: "key" } {
  return term.kind === "key";
}

/**
 * Returns texts for the index: those that every match contains; else the terms of bodies of which a match contains one, unless
 * it matches without any.
 */
function indexedTexts(expression: SearchExpression): {
  readonly texts: readonly TextCriterion[];
  readonly isRequired: boolean;
} {
  const required = requiredTerms(expression).flatMap((term) =>
    term.kind === "text" && term.term !== "" ? [{ field: term.field, term: term.term }] : [],
  );
  if (required.length > 0) return { texts: required, isRequired: true };
  const bodies = new Map<string, TextCriterion>();
  for (const { term, isNegated } of occurringTerms(expression)) {
    if (term.kind !== "text" || term.field !== "body" || isNegated) continue;
    // Every body contains the empty term, so the index leaves nothing out.
    if (term.term === "") return { texts: [], isRequired: false };
    bodies.set(term.term, { field: "body", term: term.term });
  }
  return { texts: [...bodies.values()], isRequired: false };
}
