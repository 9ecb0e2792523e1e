/** Conditions in SQL that a message has an attachment, an inline part or a one-time code, for which there are indexes. */
import { partSeparator, searchFieldsVersion, searchParts, valueSeparator } from "../../../core/search/search-fields.ts";
import type { SearchTerm } from "../../../core/search/search-expression.ts";
import { isMissing } from "../messages/missing-fields.ts";

/** Part of a message of which searches ask whether it is present. */
export type PresentPart = Extract<SearchTerm, { readonly kind: "present" }>["part"];

/** All parts with an index. */
export const presentParts: readonly PresentPart[] = ["attachment", "inline", "code"];

/**
 * Returns the condition of messages that have a part, or missing fields; as the index of these messages has it, so that it is
 * used. `alias` is the prefix of the columns.
 */
export function mayHavePart(part: PresentPart, alias: string): string {
  const before = searchParts.indexOf(part);
  const others = (count: number): string => `%${partSeparator}`.repeat(count);
  const pattern = `${others(before)}${valueSeparator}${others(searchParts.length - before)}${searchFieldsVersion}`;
  return `(${isMissing(alias)} or ${alias}fields like '${pattern}')`;
}
