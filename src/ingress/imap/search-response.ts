import type { SearchReturn } from "./search-key.ts";
import { formatSequenceSet } from "./sequence-set.ts";

/** Result of a search. */
export interface SearchResult {
  /** Message numbers, or UIDs for UID SEARCH, ascending. */
  readonly numbers: readonly number[];
  /** Greatest mod-sequence of the messages, for a search that names one; null otherwise. */
  readonly modSequence: number | null;
}

/** Form of the response of a search. */
export interface SearchResponseForm {
  readonly tag: string;
  readonly isUid: boolean;
  /** Options of RETURN; null for the response of IMAP4rev1. */
  readonly returns: readonly SearchReturn[] | null;
}

/** Returns the untagged response of a search without its line end; null when there is none (RETURN (SAVE)). */
export function writeSearchResponse({ numbers, modSequence }: SearchResult, form: SearchResponseForm): string | null {
  const { tag, isUid, returns } = form;
  // RFC 7162 section 3.1.5: no mod-sequence where nothing was found.
  const reported = numbers.length === 0 ? null : modSequence;
  if (returns === null) {
    const suffix = reported === null ? "" : ` (MODSEQ ${reported})`;
    return `* SEARCH${numbers.map((number) => ` ${number}`).join("")}${suffix}`;
  }
  if (returns.every((option) => option === "SAVE")) return null;
  const items = (["MIN", "MAX", "ALL", "COUNT"] as const)
    .filter((option) => returns.includes(option))
    .flatMap((option) => itemOf(option, numbers));
  const uid = isUid ? " UID" : "";
  const suffix = reported === null ? "" : ` MODSEQ ${reported}`;
  return `* ESEARCH (TAG "${tag}")${uid}${items.map((item) => ` ${item}`).join("")}${suffix}`;
}

/** Returns an item of the response; none but COUNT when nothing was found. */
function itemOf(option: Exclude<SearchReturn, "SAVE">, numbers: readonly number[]): readonly string[] {
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (option === "COUNT") return [`COUNT ${numbers.length}`];
  if (first === undefined || last === undefined) return [];
  if (option === "ALL") return [`ALL ${formatSequenceSet(numbers)}`];
  return [`${option} ${option === "MIN" ? first : last}`];
}
