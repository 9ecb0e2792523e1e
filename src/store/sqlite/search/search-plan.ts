import type { SQLInputValue } from "node:sqlite";
import { keyCriteria, textCriteria, type TextField } from "../../../core/criteria.ts";
import type { FoldedCriteria } from "../../store.ts";
import { keyRoles } from "../messages/key-roles.ts";

/**
 * Statements of a search over a range of ids (`:first` to `:last` of `:epoch`), newest first.
 * `candidates` returns (id, content, matches); the body of a row with `matches` = 0 must still be compared.
 * `boundary` returns the id that follows `:skip` rows of the range.
 */
export interface SearchPlan {
  readonly candidates: string;
  readonly boundary: string;
  readonly parameters: Record<string, SQLInputValue>;
  readonly readsBodies: boolean;
}

const inRange = "epoch = :epoch and id between :first and :last";

/** Plans a search: over the index of an address that every match must have, or over all subjects. */
export function planSearch(criteria: FoldedCriteria): SearchPlan {
  const parameters: Record<string, SQLInputValue> = {};
  const conditions: string[] = [];
  const ranges: string[] = [];
  for (const { role, key } of keyCriteria(criteria)) {
    parameters[role] = key;
    const range = `from address where epoch = :epoch and role = ${keyRoles[role]} and address = :${role}`;
    ranges.push(`${range} and id between :first and :last`);
    conditions.push(`s.id in (select id ${range} and id between :first and :last)`);
  }
  // Bodies are compressed, so SQL cannot compare them; the search decompresses them.
  const columns: Readonly<Record<TextField, string | null>> = { subject: "s.text", body: null };
  const texts = textCriteria(criteria);
  for (const { field, term } of texts) {
    if (columns[field] === null) continue;
    parameters[field] = term;
    conditions.push(`instr(${columns[field]}, :${field}) > 0`);
  }
  const readsBodies = texts.some(({ field }) => columns[field] === null);
  const isAny = criteria.match === "ANY";
  const source = isAny ? undefined : ranges[0];
  return {
    // The source already implies its own condition.
    candidates: writeCandidates({
      conditions: source === undefined ? conditions : conditions.slice(1),
      source,
      readsBodies,
      isAny,
    }),
    boundary: `select id ${source ?? `from subject where ${inRange}`} order by id desc limit 1 offset :skip`,
    parameters,
    readsBodies,
  };
}

interface CandidateParts {
  readonly conditions: readonly string[];
  readonly source: string | undefined;
  readonly readsBodies: boolean;
  readonly isAny: boolean;
}

function writeCandidates({ conditions, source, readsBodies, isAny }: CandidateParts): string {
  const all = conditions.length === 0 ? "1" : conditions.join(isAny ? " or " : " and ");
  const rows = source === undefined ? "subject s" : `(select id ${source}) a cross join subject s on s.id = a.id`;
  const where = `s.epoch = :epoch and s.id between :first and :last`;
  const order = source === undefined ? "s.id" : "a.id";
  // ANY with a body: the columns may already match; else the body decides. ALL: the columns may exclude a row.
  const decided = isAny && readsBodies ? (conditions.length === 0 ? "0" : `(${all})`) : readsBodies ? "0" : "1";
  const filter = isAny && readsBodies ? "" : ` and (${all})`;
  return `select s.id, s.content, ${decided} as matches from ${rows} where ${where}${filter} order by ${order} desc`;
}
