/** Messages among which a search by an expression finds all matches. */
import { flagBits, type MessageFlag } from "../../../core/marks.ts";
import { requiredTerms, type SearchExpression, type SearchTerm } from "../../../core/search/search-expression.ts";
import { partSeparator, searchFieldsVersion, searchParts, valueSeparator } from "../../../core/search/search-fields.ts";
import { addressKey } from "../messages/address-keys.ts";
import { isMissing } from "../messages/missing-fields.ts";
import { addressPlan, allMessages, planOfMarks, wholePlan, type SearchPlan } from "./search-plan.ts";

type PresentPart = Extract<SearchTerm, { readonly kind: "present" }>["part"];

/** Plan of the source of an expression. */
type SourcePlan = Pick<SearchPlan, "source" | "slot" | "keys" | "values">;

/** Plans by a term in the order of their use: those with fewer messages, in most cases, first. */
const sources: readonly ((term: SearchTerm) => SourcePlan | undefined)[] = [
  (term) =>
    term.kind === "key"
      ? { ...addressPlan, values: { address: addressKey(term.role, term.key).toString("hex") } }
      : undefined,
  (term) => (term.kind === "flag" && term.flag !== "seen" ? planOfFlag(term.flag) : undefined),
  (term) => (term.kind === "present" ? { ...wholePlan, source: messagesWithPart(term.part) } : undefined),
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

/** Returns the messages that have a part, or missing fields. The condition is that of an index, so that it is used. */
function messagesWithPart(part: PresentPart): string {
  const before = searchParts.indexOf(part);
  const others = (count: number): string => `%${partSeparator}`.repeat(count);
  const pattern = `${others(before)}${valueSeparator}${others(searchParts.length - before)}${searchFieldsVersion}`;
  return `${allMessages} and (${isMissing("m.")} or m.fields like '${pattern}')`;
}
