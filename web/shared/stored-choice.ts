import { useState } from "react";

/**
 * Returns the one of `choices` that was last selected in this browser under `storageKey`, the first if none of them was, and a
 * function that selects another.
 */
export function useStoredChoice(
  storageKey: string,
  choices: readonly string[],
): readonly [string, (choice: string) => void] {
  const [selected, setSelected] = useState(() => load(storageKey));
  const select = (choice: string): void => {
    setSelected(choice);
    try {
      localStorage.setItem(storageKey, choice);
    } catch {
      // Storage is disabled: the choice lasts until the page is left.
    }
  };
  return [choices.find((choice) => choice === selected) ?? choices[0] ?? "", select];
}

function load(storageKey: string): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    // Storage is disabled.
    return null;
  }
}
