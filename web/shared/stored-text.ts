/** Texts that this browser remembers; without storage, a choice lasts until the page is left. */
import { useState } from "react";

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

/**
 * Returns the one of `choices` that was last selected in this browser under `storageKey`, the first if none of them was, and a
 * function that selects another.
 */
export function useStoredChoice(
  storageKey: string,
  choices: readonly string[],
): readonly [string, (choice: string) => void] {
  const [selected, setSelected] = useState(() => storedText(storageKey));
  const select = (choice: string): void => {
    setSelected(choice);
    storeText(storageKey, choice);
  };
  return [choices.find((choice) => choice === selected) ?? choices[0] ?? "", select];
}
