import { occurringTerms } from "../../../core/search/search-expression.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import { matchingTags } from "../../../core/search/criteria-expression.ts";
import { wholeValue } from "../../../core/search/search-fields.ts";
import { writeExpression, type ExpressionScope } from "../../search/expression-sql.ts";
import {
  hasText,
  narrowOne,
  narrowSearch,
  ofKeys,
  type NarrowedSearch,
  type TagTerm,
} from "../../signatures/text-condition.ts";
import { addressKey } from "../messages/address-keys.ts";
import { postgresExpressions } from "./expression-dialect.ts";
import { sourceOf } from "./message-source.ts";
import { wholePlan, type SearchPlan } from "./search-plan.ts";

/** Returns the plan of a search by an expression, over the messages of {@link sourcePlanOf}. */
export function planSearch(expression: SearchExpression, scope: ExpressionScope): SearchPlan {
  const { plan: source, key } = sourceOf(expression);
  const written = writeExpression(postgresExpressions, expression, { ...scope, implied: key });
  const { condition, wholeCondition, values } = written;
  const indexed = narrowSearch(expression, (term) => narrowTags(term, scope.tags));
  const conditionWithoutBodies = written.conditionWithoutBodies();
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
    conditionWithoutTexts: indexed.isNarrowedByTexts ? null : withoutBodies,
    values: { ...values, ...source.values },
  };
}

/** Returns what every match of a condition on tags meets: tags of providers are search fields, others are keys. */
function narrowTags(term: TagTerm, tags: readonly string[]): NarrowedSearch {
  if (term.kind === "tagged") return { condition: { kind: "and", of: [] }, keys: [] };
  const ofProvider = hasText("fields", term.kind === "tag" ? wholeValue(term.tag) : term.term);
  const own = matchingTags(term, tags).map((key) => ({ role: "tag" as const, key }));
  return narrowOne([{ condition: ofProvider, keys: [] }, ofKeys(own)]);
}
