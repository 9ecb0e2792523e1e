/**
 * The one way in which search ignores letter case: Unicode simple folding by lower-casing, without locale, and NUL
 * removed (SQLite ends a LIKE at a NUL). Text and pattern must both pass through here, on every store.
 */
export function foldText(text: string): string {
  const folded = text.toWellFormed().toLowerCase().replaceAll("ς", "σ").replaceAll("ſ", "s");
  return folded.includes("\0") ? folded.replaceAll("\0", "") : folded;
}

/** The form in which addresses are compared: e-mail case-folded, phone numbers by their digits alone. */
export function foldAddress(address: string): string {
  const trimmed = address.trim();
  if (!trimmed.includes("@") && /^\+?[\d\s().-]+$/.test(trimmed)) return trimmed.replaceAll(/\D/g, "");
  return foldText(trimmed);
}
