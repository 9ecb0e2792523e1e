/** Conditions of searches on `subject s`, with parameters for `:epoch` and the ids `:first` to `:last`. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { idToBytes } from "../../../core/ids.ts";
import { partOf, searchParts } from "../../../core/search/search-fields.ts";
import {
  containing,
  presentPattern,
  type ExpressionDialect,
  type PresentPart,
  indexedTerms,
} from "../../search/expression-sql.ts";
import { keyRoles } from "../messages/key-roles.ts";
import { flagBits } from "../../../core/marks.ts";
import { matchingTags } from "../../../core/search/build-expression.ts";
import type { SearchExpression, SearchTerm } from "../../../core/search/search-expression.ts";
import type { KeyCriterion } from "../../../core/criteria.ts";

/** Defines the SQL functions of searches by expressions on a connection. */
export function defineSearchFunctions(database: DatabaseSync): void {
  database.function("part_of", { deterministic: true }, (fields, index) =>
    partOf(String(fields), searchParts[Number(index)] ?? "from"),
  );
}

/** Returns the condition that a part has a value; as the index of these messages has it, so that it is used. */
export function hasPart(part: PresentPart): string {
  return `fields glob ${presentPattern(part, "*")}`;
}

/** Characters of a term up to which its pattern is within the limit of SQLite, 50,000 bytes. */
const likeLengthMax = 5000;

const ofMessage = (table: string): string => `from ${table} k where k.epoch = s.epoch and k.id = s.id`;
const hasKey = (role: number, comparison: string): string =>
  `s.id in (select a.id from address a where a.epoch = :epoch and a.role = ${role}
    and a.address ${comparison} and a.id between :first and :last)`;

/**
 * Conditions of SQLite. Bodies are compressed, so SQL cannot compare them: each term of a body is a parameter, null as long as the
 * body is not known.
 */
export const sqliteExpressions: ExpressionDialect = {
  message: {
    id: "s.id",
    subject: "s.text",
    fields: "s.fields",
    size: "s.size",
    sequence: `(select k.sequence ${ofMessage("message")})`,
    flags: `coalesce((select k.flags ${ofMessage("mark")}), 0)`,
  },
  parameter: (name) => `:${name}`,
  // LIKE takes half the time of `instr`; it ignores the case of ASCII letters, which folded texts have in one case only.
  contains: (text, term, add) =>
    term.length > likeLengthMax
      ? `instr(${text}, ${add(term, "text")}) > 0`
      : `${text} like ${add(containing(term), "text")} escape '\\'`,
  bodyContains: (number) => `:${bodyParameter(number)}`,
  part: (index) => `part_of(s.fields, ${index})`,
  hasPart,
  hasKey: (role, key, add) => hasKey(keyRoles[role], `= ${add(key, "text")}`),
  hasTags: (tags, add) =>
    hasKey(keyRoles.tag, `in (select value from json_each(${add(JSON.stringify(tags), "text")}))`),
  id: (id) => [idToBytes(id), "blob"],
  isWithin: (value, ranges, add) => `exists (select 1 from json_each(${add(JSON.stringify(ranges), "text")}) r
    where ${value} between json_extract(r.value, '$[0]') and json_extract(r.value, '$[1]'))`,
};

/** Returns the parameter that tells whether a body contains the term with a number. */
export function bodyParameter(number: number): string {
  return `body${number}`;
}

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
