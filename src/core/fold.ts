import type { Contact } from "./message.ts";

/**
 * Folds letter case for search: Unicode lower-casing without locale, NUL removed (SQLite ends a LIKE at NUL). Text and
 * pattern are both folded, in every store.
 */
export function foldText(text: string): string {
  const folded = text.toWellFormed().toLowerCase().replaceAll("ς", "σ").replaceAll("ſ", "s");
  return folded.includes("\0") ? folded.replaceAll("\0", "") : folded;
}

/** Word that stands for an address within one host: the sender of mail of cron is `root`. */
const localName = /^[^\s@,;:<>()"]{1,64}$/;

/**
 * Returns the key by which searches find a contact: its folded address or number. A contact of one word is found by that word,
 * because senders write local users without a domain. "" for others without an address.
 */
export function addressKeyOf({ name, email, phone }: Contact): string {
  const key = foldAddress(email || phone || "");
  return key === "" && localName.test(name) ? foldText(name) : key;
}

/** Folds an address for comparison: e-mail addresses to lower case, phone numbers to their digits. */
export function foldAddress(address: string): string {
  const trimmed = address.trim();
  if (!trimmed.includes("@") && /^\+?[\d\s().-]+$/.test(trimmed)) return trimmed.replaceAll(/\D/g, "");
  return foldText(trimmed);
}
