/** Searches that were entered last in this browser, for each server. */

/** Searches that are kept for a server. */
const keptCountMax = 4;
/** UTF-16 code units; longer searches are not kept. */
const keptLengthMax = 200;
const storageKey = (server: string): string => `restante-searches-${server}`;

/** Returns the searches of a server, last one first; none where the browser stores nothing. */
export function recentSearches(server: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(server)) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string").slice(0, keptCountMax) : [];
  } catch {
    // Storage is disabled, or another page wrote into it.
    return [];
  }
}

/** Keeps a search as the last one. */
export function keepSearch(server: string, q: string): void {
  if (q === "" || q.length > keptLengthMax) return;
  const kept = [q, ...recentSearches(server).filter((one) => one !== q)].slice(0, keptCountMax);
  try {
    localStorage.setItem(storageKey(server), JSON.stringify(kept));
  } catch {
    // Storage is disabled or full: the search is not kept.
  }
}
