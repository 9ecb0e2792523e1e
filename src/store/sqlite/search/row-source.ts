/** Rows among which a search by an expression finds all matches. */
import type { SQLInputValue } from "node:sqlite";
import { flagBits } from "../../../core/marks.ts";
import { matchingTags } from "../../../core/search/criteria-expression.ts";
import type { SearchExpression, SearchTerm } from "../../../core/search/search-expression.ts";
import type { KeyCriterion } from "../../../core/criteria.ts";
import { indexedTerms } from "../../indexed-terms.ts";
import type { PresentPart } from "../../search/expression-sql.ts";
import { keyRoles } from "../messages/key-roles.ts";
import { hasPart } from "./expression-dialect.ts";

/** Rows with an epoch and an id, in the order of the ids, of which each match has one. */
export interface RowSource {
  /** Text of SQL: a table, `where`, and a condition. */
  readonly from: string;
  readonly parameters: Readonly<Record<string, SQLInputValue>>;
}

/** Returns the source of an expression in a server with these tags; undefined when no condition that every match meets has an index. */
export function sourceOf(expression: SearchExpression, tags: readonly string[]): RowSource | undefined {
  for (const term of indexedTerms(expression)) {
    const source = ofKey(term, tags) ?? ofOther(term);
    if (source !== undefined) return source;
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

function ofOther(term: SearchTerm): RowSource | undefined {
  if (term.kind === "flag") return { from: `mark where flags & ${flagBits([term.flag])} <> 0`, parameters: {} };
  return term.kind === "present" ? { from: rowsWithPart(term.part), parameters: {} } : undefined;
}

/** Returns a table with its index, `where`, and the condition of messages that have a part. */
export function rowsWithPart(part: PresentPart): string {
  return `subject indexed by subject_with_${part} where ${hasPart(part)}`;
}
