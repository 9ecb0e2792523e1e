/** Rows among which a search by an expression finds all matches. */
import type { SQLInputValue } from "node:sqlite";
import { flagBits } from "../../../core/marks.ts";
import { matchingTags } from "../../../core/search/criteria-expression.ts";
import { requiredTerms, type SearchExpression, type SearchTerm } from "../../../core/search/search-expression.ts";
import type { KeyCriterion } from "../../../core/criteria.ts";
import { keyRoles } from "../messages/key-roles.ts";
import { rowsWithPart } from "./present-parts.ts";

/** Rows with an epoch and an id, in the order of the ids, of which each match has one. */
export interface RowSource {
  /** Text of SQL: a table, `where`, and a condition. */
  readonly from: string;
  readonly parameters: Readonly<Record<string, SQLInputValue>>;
}

/** Sources of a term in the order of their use: those with fewer rows, in most cases, first. */
const sources: readonly ((term: SearchTerm, tags: readonly string[]) => RowSource | undefined)[] = [
  ofKey,
  (term) => (term.kind === "flag" && term.flag !== "seen" ? ofFlag(term.flag) : undefined),
  ofPart,
  (term) => (term.kind === "flag" ? ofFlag(term.flag) : undefined),
];

/** Returns the source of an expression in a server with these tags; undefined when no condition that every match meets has an index. */
export function sourceOf(expression: SearchExpression, tags: readonly string[]): RowSource | undefined {
  const terms = requiredTerms(expression);
  for (const source of sources) {
    for (const term of terms) {
      const found = source(term, tags);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Returns the rows for an address, a label, or a tag with only one spelling. */
function ofKey(term: SearchTerm, tags: readonly string[]): RowSource | undefined {
  if (term.kind !== "key" && term.kind !== "tag") return undefined;
  const [key, other]: readonly (KeyCriterion | undefined)[] =
    term.kind === "key" ? [term] : matchingTags(term, tags).map((tag) => ({ role: "tag" as const, key: tag }));
  if (key === undefined || other !== undefined) return undefined;
  const from = `address where role = ${keyRoles[key.role]} and address = :required`;
  return { from, parameters: { required: key.key } };
}

function ofFlag(flag: Extract<SearchTerm, { readonly kind: "flag" }>["flag"]): RowSource {
  return { from: `mark where flags & ${flagBits([flag])} <> 0`, parameters: {} };
}

function ofPart(term: SearchTerm): RowSource | undefined {
  return term.kind === "present" ? { from: rowsWithPart(term.part), parameters: {} } : undefined;
}
