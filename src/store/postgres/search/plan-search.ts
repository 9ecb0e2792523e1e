import { occurringTerms, type SearchExpression, type SearchTerm } from "../../../core/search/search-expression.ts";
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
import { postgresExpressions, hasPart } from "./expression-dialect.ts";
import { wholePlan, type SearchPlan, addressPlan, allMessages, planOfMarks } from "./search-plan.ts";
import { flagBits } from "../../../core/marks.ts";
import { indexedTerms } from "../../indexed-terms.ts";

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

/** Plan of the source of an expression, and the key that leads directly to its messages; null where there is none. */
interface MessageSource {
  readonly plan: Pick<SearchPlan, "source" | "slot" | "keys" | "values">;
  readonly key: SearchTerm | null;
}

/** Returns the source of a condition that every match meets and that has an index, or of all messages. */
function sourceOf(expression: SearchExpression): MessageSource {
  for (const term of indexedTerms(expression)) {
    const plan = planOf(term);
    if (plan !== undefined) return { plan, key: term.kind === "key" ? term : null };
  }
  return { plan: wholePlan, key: null };
}

function planOf(term: SearchTerm): MessageSource["plan"] | undefined {
  if (term.kind === "key") {
    return { ...addressPlan, values: { address: addressKey(term.role, term.key).toString("hex") } };
  }
  if (term.kind === "flag") return planOfMarks(`a.flags & ${flagBits([term.flag])} <> 0`);
  return term.kind === "present" ? { ...wholePlan, source: `${allMessages} and ${hasPart(term.part)}` } : undefined;
}
