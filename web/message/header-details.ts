/** Whether the header of messages shows all its fields, remembered by this browser. */
import { useState } from "react";

const storageKey = "restante.header";
/** Windows in which the header is a line at first: phones. */
const narrow = "(width < 900px)";

/** Returns whether the details are shown, and a function that shows or hides them here and in messages that are opened later. */
export function useHeaderDetails(): readonly [boolean, () => void] {
  const [isOpen, setOpen] = useState(() => load() ?? !matchMedia(narrow).matches);
  const toggle = (): void => {
    setOpen(!isOpen);
    try {
      localStorage.setItem(storageKey, isOpen ? "closed" : "open");
    } catch {
      // Storage is disabled: the choice lasts until the message is closed.
    }
  };
  return [isOpen, toggle];
}

function load(): boolean | null {
  try {
    const stored = localStorage.getItem(storageKey);
    return stored === null ? null : stored === "open";
  } catch {
    // Storage is disabled.
    return null;
  }
}
