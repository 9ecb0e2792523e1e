import { useEffect, useRef } from "react";

/**
 * Actions by key name (UI Events, `KeyboardEvent.key`), or by two names with a blank between them for keys that are pressed one
 * after the other, for example "g s". An action that returns `false` leaves the key to the browser.
 */
export type Shortcuts = Readonly<Record<string, () => unknown>>;

/** The first of two keys counts for this time. */
const sequenceMsMax = 2000;
const editable = "input:not([type=checkbox]), textarea, select, [contenteditable]";
const overlay = "[role=dialog], [role=menu]";

/** Shortcuts of the components that are mounted; of the same key, the ones added last apply. */
const registered: { readonly current: Shortcuts }[] = [];
let prefix = "";
let prefixTimer = 0;

/** Handles keys for the whole page, except in input fields, while a dialog or menu is open, or with a modifier key. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    if (registered.length === 0) addEventListener("keydown", onKeyDown);
    registered.push(latest);
    return () => {
      registered.splice(registered.indexOf(latest), 1);
      if (registered.length > 0) return;
      removeEventListener("keydown", onKeyDown);
      endSequence();
    };
  }, []);
}

function onKeyDown(event: KeyboardEvent): void {
  if (!isForPage(event)) return;
  const { key } = event;
  const keys = prefix === "" ? key : `${prefix} ${key}`;
  endSequence();
  const action = actionOf(keys);
  if (action !== undefined) {
    if (action() !== false) event.preventDefault();
  } else if (registered.some(({ current }) => Object.keys(current).some((name) => name.startsWith(`${keys} `)))) {
    prefix = keys;
    prefixTimer = window.setTimeout(endSequence, sequenceMsMax);
  }
}

function isForPage({ target, key, defaultPrevented, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  if (defaultPrevented || metaKey || ctrlKey || altKey || key === "Shift") return false;
  if (target instanceof Element && target.closest(editable) !== null) return false;
  return document.querySelector(overlay) === null;
}

function actionOf(keys: string): (() => unknown) | undefined {
  return registered.findLast(({ current }) => Object.hasOwn(current, keys))?.current[keys];
}

function endSequence(): void {
  prefix = "";
  clearTimeout(prefixTimer);
}
