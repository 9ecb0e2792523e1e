import { useState } from "react";
import { storedText, storeText } from "./stored-text.ts";

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
