/** Searches that were entered last in this browser, for each server. */

import { storedText, storeText } from "../shared/stored-text.ts";

/** Searches that are kept for a server. */
const keptCountMax = 4;
/** UTF-16 code units; longer searches are not kept. */
const keptLengthMax = 200;
const storageKey = (server: string): string => `restante-searches-${server}`;

/** Returns the searches of a server, last one first; none where the browser stores nothing. */
export function recentSearches(server: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(storedText(storageKey(server)) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string").slice(0, keptCountMax) : [];
  } catch {
    // Another page wrote into the storage.
    return [];
  }
}

/** Keeps a search as the last one. */
export function keepSearch(server: string, q: string): void {
  if (q === "" || q.length > keptLengthMax) return;
  const kept = [q, ...recentSearches(server).filter((one) => one !== q)].slice(0, keptCountMax);
  storeText(storageKey(server), JSON.stringify(kept));
}
