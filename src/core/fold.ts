/**
 * Folds letter case for search: Unicode lower-casing without locale, NUL removed (SQLite ends a LIKE at NUL). Text and
 * pattern are both folded, in every store.
 */
export function foldText(text: string): string {
  const folded = text.toWellFormed().toLowerCase().replaceAll("ς", "σ").replaceAll("ſ", "s");
  return folded.includes("\0") ? folded.replaceAll("\0", "") : folded;
}

/** Folds an address for comparison: e-mail addresses to lower case, phone numbers to their digits. */
export function foldAddress(address: string): string {
  const trimmed = address.trim();
  if (!trimmed.includes("@") && /^\+?[\d\s().-]+$/.test(trimmed)) return trimmed.replaceAll(/\D/g, "");
  return foldText(trimmed);
}
