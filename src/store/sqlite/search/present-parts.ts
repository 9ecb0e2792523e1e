/** Conditions in SQL that a message has an attachment, an inline part or a one-time code, with the indexes of such messages. */
import { partSeparator, searchFieldsVersion, searchParts, valueSeparator } from "../../../core/search/search-fields.ts";
import type { SearchTerm } from "../../../core/search/search-expression.ts";
import { isMissing } from "../messages/missing-fields.ts";

/** Part of a message of which searches ask whether it is present. */
export type PresentPart = Extract<SearchTerm, { readonly kind: "present" }>["part"];

/** Returns the condition that a part has a value, for search fields of the current version. */
export function hasPart(part: PresentPart): string {
  const before = searchParts.indexOf(part);
  const others = (count: number): string => `*${partSeparator}`.repeat(count);
  return `fields glob '${others(before)}${valueSeparator}${others(searchParts.length - before)}${searchFieldsVersion}'`;
}

/** Returns a table with its index, `where`, and the condition of messages that have a part, or missing fields. */
export function rowsWithPart(part: PresentPart): string {
  // As the index has it, so that SQLite uses it.
  return `subject indexed by subject_with_${part} where (${isMissing} or ${hasPart(part)})`;
}
