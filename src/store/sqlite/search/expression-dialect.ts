/** Conditions of searches on `subject s`, with parameters for `:epoch` and the ids `:first` to `:last`. */
import type { DatabaseSync } from "node:sqlite";
import { idToBytes } from "../../../core/ids.ts";
import { partOf, searchParts } from "../../../core/search/search-fields.ts";
import { containing, presentPattern, type ExpressionDialect, type PresentPart } from "../../search/expression-sql.ts";
import { keyRoles } from "../messages/key-roles.ts";

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
