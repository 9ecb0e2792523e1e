/** Messages among which a search finds all matches. */
import { flagBits } from "../../../core/marks.ts";
import type { SearchExpression, SearchTerm } from "../../../core/search/search-expression.ts";
import { indexedTerms } from "../../indexed-terms.ts";
import { addressKey } from "../messages/address-keys.ts";
import { hasPart } from "./expression-dialect.ts";
import { addressPlan, allMessages, planOfMarks, wholePlan, type SearchPlan } from "./search-plan.ts";

/** Plan of the source of an expression, and the key that leads directly to its messages; null where there is none. */
export interface MessageSource {
  readonly plan: Pick<SearchPlan, "source" | "slot" | "keys" | "values">;
  readonly key: SearchTerm | null;
}

/** Returns the source of a condition that every match meets and that has an index, or of all messages. */
export function sourceOf(expression: SearchExpression): MessageSource {
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
