import { useEffect, useRef } from "react";

/** Actions by key name (UI Events, `KeyboardEvent.key`). */
export type Shortcuts = Readonly<Record<string, () => void>>;

const editable = "input:not([type=checkbox]), textarea, select, [contenteditable]";
const overlay = "[role=dialog], [role=menu]";

/** Handles keys for the whole page, except in input fields, while a dialog or menu is open, or with a modifier key. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target, key } = event;
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (target instanceof Element && target.closest(editable) !== null) return;
      if (document.querySelector(overlay) !== null) return;
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
