/** Conditions in SQL that a message has an attachment, an inline part or a one-time code, with the indexes of such messages. */
import { partSeparator, searchParts, valueSeparator } from "../../../core/search/search-fields.ts";
import type { SearchTerm } from "../../../core/search/search-expression.ts";

/** Part of a message of which searches ask whether it is present. */
export type PresentPart = Extract<SearchTerm, { readonly kind: "present" }>["part"];

/** All parts with an index. */
export const presentParts: readonly PresentPart[] = ["attachment", "inline", "code"];

/** Returns the condition that a part has a value; as the index of these messages has it, so that it is used. */
export function hasPart(part: PresentPart): string {
  const before = searchParts.indexOf(part);
  const others = (count: number): string => `*${partSeparator}`.repeat(count);
  return `fields glob '${others(before)}${valueSeparator}${others(searchParts.length - before)}'`;
}

/** Returns a table with its index, `where`, and the condition of messages that have a part. */
export function rowsWithPart(part: PresentPart): string {
  return `subject indexed by subject_with_${part} where ${hasPart(part)}`;
}
