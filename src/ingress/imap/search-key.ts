import type { MessageFlag } from "../../core/marks.ts";
import type { SequenceRange } from "./sequence-set.ts";

/** Sequence set; `saved` is `$`, the result that the session saved (RFC 9051 section 6.4.4.1). */
export type SearchedSet = readonly SequenceRange[] | "saved";

/**
 * Search key (RFC 9051 section 6.4.4, RFC 3501 section 6.4.4, RFC 7162 section 3.1.5). Days are midnight in UTC, in
 * milliseconds since the Unix epoch. A negated key is a `not`; NEW and OLD are combinations.
 */
export type ImapSearchKey =
  | { readonly kind: "all" }
  | { readonly kind: "flag"; readonly flag: MessageFlag }
  | { readonly kind: "keyword"; readonly keyword: string }
  | { readonly kind: "recent" }
  | { readonly kind: "address"; readonly field: "from" | "to" | "cc" | "bcc"; readonly text: string }
  | { readonly kind: "content"; readonly field: "subject" | "body" | "text"; readonly text: string }
  | { readonly kind: "header"; readonly name: string; readonly text: string }
  | {
      readonly kind: "date";
      readonly of: "received" | "sent";
      readonly comparison: "before" | "on" | "since";
      readonly day: number;
    }
  | { readonly kind: "size"; readonly comparison: "larger" | "smaller"; readonly bytes: number }
  | { readonly kind: "numbers"; readonly set: SearchedSet }
  | { readonly kind: "uids"; readonly set: SearchedSet }
  | { readonly kind: "modSequence"; readonly from: number }
  | { readonly kind: "not"; readonly of: ImapSearchKey }
  | { readonly kind: "and"; readonly of: readonly ImapSearchKey[] }
  | { readonly kind: "or"; readonly of: readonly ImapSearchKey[] };

/** Result option of a search (RFC 9051 section 6.4.4). */
export type SearchReturn = "MIN" | "MAX" | "ALL" | "COUNT" | "SAVE";

/** Arguments of SEARCH and UID SEARCH. */
export interface ImapSearch {
  /** Null without RETURN. */
  readonly returns: readonly SearchReturn[] | null;
  readonly key: ImapSearchKey;
}

/** Returns whether a key names a mod-sequence, so that the response reports one (RFC 7162 section 3.1.5). */
export function hasModSequence(key: ImapSearchKey): boolean {
  if (key.kind === "not") return hasModSequence(key.of);
  return key.kind === "and" || key.kind === "or" ? key.of.some(hasModSequence) : key.kind === "modSequence";
}
