import { useEffect, useRef } from "react";

/** What keys do, by what they are called (UI Events, KeyboardEvent key). */
export type Shortcuts = Readonly<Record<string, () => void>>;

const typing = "input:not([type=checkbox]), textarea, select, [contenteditable]";

/** Keys for the whole page; they rest while something is typed, a dialog is open, or a modifier is held. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target, key } = event;
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (target instanceof Element && target.closest(typing) !== null) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const action = Object.hasOwn(latest.current, key) ? latest.current[key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKeyDown);
    return () => {
      removeEventListener("keydown", onKeyDown);
    };
  }, []);
}
