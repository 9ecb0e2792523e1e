/** Name of the test framework that was selected last, remembered by this browser. */
import { useState } from "react";

const storageKey = "restante.snippet";

/** Returns the name, "" at first, and a function that selects another. */
export function useSnippetChoice(): readonly [string, (name: string) => void] {
  const [choice, setChoice] = useState(load);
  const select = (name: string): void => {
    setChoice(name);
    try {
      localStorage.setItem(storageKey, name);
    } catch {
      // Storage is disabled: the choice lasts until the tab is closed.
    }
  };
  return [choice, select];
}

function load(): string {
  try {
    return localStorage.getItem(storageKey) ?? "";
  } catch {
    // Storage is disabled.
    return "";
  }
}
