/** Texts that this browser remembers; without storage, a choice lasts until the page is left. */

/** Returns a text that was stored; null without one. */
export function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage is disabled.
    return null;
  }
}

/** Stores a text where the browser has storage with room. */
export function storeText(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Storage is disabled or full.
  }
}
