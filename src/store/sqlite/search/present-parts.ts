/** Conditions in SQL that a message has an attachment, an inline part or a one-time code, with the indexes of such messages. */
import { partSeparator, searchFieldsVersion, searchParts, valueSeparator } from "../../../core/search/search-fields.ts";
import type { SearchTerm } from "../../../core/search/search-expression.ts";
import { isMissing } from "../messages/missing-fields.ts";

/** Part of a message of which searches ask whether it is present. */
export type PresentPart = Extract<SearchTerm, { readonly kind: "present" }>["part"];

/** All parts with an index. */
export const presentParts: readonly PresentPart[] = ["attachment", "inline", "code"];

/** Returns the condition that a part has a value, for search fields of the current version. */
export function hasPart(part: PresentPart): string {
  const before = searchParts.indexOf(part);
  const others = (count: number): string => `*${partSeparator}`.repeat(count);
  return `fields glob '${others(before)}${valueSeparator}${others(searchParts.length - before)}${searchFieldsVersion}'`;
}

/** Returns the condition of messages that have a part, or missing fields; as the index of these messages has it. */
export function mayHavePart(part: PresentPart): string {
  return `${isMissing} or ${hasPart(part)}`;
}

/** Returns a table with its index, `where`, and the condition of messages that have a part, or missing fields. */
export function rowsWithPart(part: PresentPart): string {
  return `subject indexed by subject_with_${part} where (${mayHavePart(part)})`;
}
