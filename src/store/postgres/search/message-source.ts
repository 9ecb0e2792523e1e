/** Messages among which a search by an expression finds all matches. */
import { flagBits, type MessageFlag } from "../../../core/marks.ts";
import { requiredTerms, type SearchExpression, type SearchTerm } from "../../../core/search/search-expression.ts";
import { addressKey } from "../messages/address-keys.ts";
import { hasPart } from "./present-parts.ts";
import { addressPlan, allMessages, planOfMarks, wholePlan, type SearchPlan } from "./search-plan.ts";

/** Plan of the source of an expression. */
type SourcePlan = Pick<SearchPlan, "source" | "slot" | "keys" | "values">;

/** Plans by a term in the order of their use: those with fewer messages, in most cases, first. */
const sources: readonly ((term: SearchTerm) => SourcePlan | undefined)[] = [
  (term) =>
    term.kind === "key"
      ? { ...addressPlan, values: { address: addressKey(term.role, term.key).toString("hex") } }
      : undefined,
  (term) => (term.kind === "flag" && term.flag !== "seen" ? planOfFlag(term.flag) : undefined),
  (term) =>
    term.kind === "present" ? { ...wholePlan, source: `${allMessages} and ${hasPart(term.part, "m.")}` } : undefined,
  (term) => (term.kind === "flag" ? planOfFlag(term.flag) : undefined),
];

/** Returns the plan over the messages of a condition that every match meets and that has an index, or over all messages. */
export function sourcePlanOf(expression: SearchExpression): SourcePlan {
  const terms = requiredTerms(expression);
  for (const source of sources) {
    for (const term of terms) {
      const plan = source(term);
      if (plan !== undefined) return plan;
    }
  }
  return wholePlan;
}

function planOfFlag(flag: MessageFlag): SourcePlan {
  return planOfMarks(`a.flags & ${flagBits([flag])} <> 0`);
}
