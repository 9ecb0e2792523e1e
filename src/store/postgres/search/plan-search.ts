import { occurringTerms } from "../../../core/search/search-expression.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import { matchingTags } from "../../../core/search/criteria-expression.ts";
import { wholeValue } from "../../../core/search/search-fields.ts";
import {
  hasText,
  narrowExpression,
  narrowOne,
  ofKeys,
  oneOf,
  termsOf,
  type NarrowedSearch,
  type TagTerm,
  type TextCondition,
} from "../../signatures/text-condition.ts";
import { addressKey } from "../messages/address-keys.ts";
import { writeExpression, type ExpressionScope } from "./expression-sql.ts";
import { sourceOf } from "./message-source.ts";
import { wholePlan, type SearchPlan } from "./search-plan.ts";

/** Returns the plan of a search by an expression, over the messages of {@link sourcePlanOf}. */
export function planSearch(expression: SearchExpression, scope: ExpressionScope): SearchPlan {
  const { plan: source, key } = sourceOf(expression);
  const { condition, wholeCondition, conditionWithoutBodies, values } = writeExpression(expression, scope, key);
  const { indexed, isNarrowed } = indexedTexts(expression, scope.tags);
  const excludesBodies = occurringTerms(expression).some(
    ({ term, isNegated }) => isNegated && term.kind === "text" && term.field === "body",
  );
  // Where bodies are excluded, most messages match as long as they are not compared.
  const withoutBodies = excludesBodies ? `(${conditionWithoutBodies} and ${wholeCondition})` : conditionWithoutBodies;
  return {
    ...wholePlan,
    ...source,
    condition,
    wholeCondition,
    indexed: indexed.condition,
    otherKeys: indexed.keys.map((one) => addressKey(one.role, one.key)),
    conditionWithoutTexts: isNarrowed ? null : withoutBodies,
    values: { ...values, ...source.values },
  };
}

/**
 * Returns what every match meets, as far as the index knows; else the terms of bodies of which a match contains one, unless it
 * matches without any.
 */
function indexedTexts(
  expression: SearchExpression,
  tags: readonly string[],
): { readonly indexed: NarrowedSearch; readonly isNarrowed: boolean } {
  const narrowed = narrowExpression(expression, (term) => narrowTags(term, tags));
  if (termsOf(narrowed.condition).length > 0) return { indexed: narrowed, isNarrowed: true };
  const bodies = occurringTerms(expression).flatMap(({ term, isNegated }): readonly TextCondition[] =>
    term.kind !== "text" || term.field !== "body" || isNegated ? [] : [hasText("body", term.term)],
  );
  return { indexed: { condition: oneOf(bodies), keys: [] }, isNarrowed: false };
}

/** Returns what every match of a condition on tags meets: tags of providers are search fields, others are keys. */
function narrowTags(term: TagTerm, tags: readonly string[]): NarrowedSearch {
  if (term.kind === "tagged") return { condition: { kind: "and", of: [] }, keys: [] };
  const ofProvider = hasText("fields", term.kind === "tag" ? wholeValue(term.tag) : term.term);
  const own = matchingTags(term, tags).map((key) => ({ role: "tag" as const, key }));
  return narrowOne([{ condition: ofProvider, keys: [] }, ofKeys(own)]);
}
