import type { RefObject } from "react";
import type { MessageList } from "../list/use-message-list.ts";
import type { Selection } from "../list/use-selection.ts";
import { copyText } from "../shared/copy.tsx";
import { isFocusLost } from "../shared/lost-focus.ts";
import { showToast } from "../shared/toast.tsx";
import { useShortcuts } from "../shared/use-shortcuts.ts";
import { strings } from "../strings.ts";
import type { MailActions, MailRoute } from "./use-mail-actions.ts";
import type { MailMarks } from "./use-mail-marks.ts";

/** Page that the keyboard shortcuts act on. */
export interface MailShortcutsProps {
  readonly route: MailRoute;
  /** Id of the open message or, without one, of the message that was open last. */
  readonly currentId: string | null;
  readonly list: MessageList;
  readonly selection: Selection;
  readonly actions: MailActions;
  readonly marks: MailMarks;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly focusRef: RefObject<(row: number) => void>;
}

/** Handles the keyboard shortcuts of the mail page. */
export function useMailShortcuts(page: MailShortcutsProps): void {
  const { route, currentId, list, selection, actions, searchRef, focusRef } = page;
  const { message } = route;
  const move = (by: 1 | -1): void => {
    if (message !== null) {
      actions.step(by);
      return;
    }
    const row = Math.min(list.count - 1, Math.max(0, list.rowOf(focusedId() ?? currentId ?? "") + by));
    focusRef.current(row);
  };
  const moveInList = (by: 1 | -1) => (): boolean => {
    if (!isListFocused()) return false;
    move(by);
    return true;
  };
  const remove = (): void => {
    const id = message ?? focusedId();
    const row = list.rowOf(id ?? "");
    if (selection.ids.size > 0) actions.remove([...selection.ids]);
    else if (id !== null) actions.remove([id]);
    if (message === null && row >= 0) {
      requestAnimationFrame(() => {
        focusRef.current(Math.min(row, list.count - 2));
      });
    }
  };
  useShortcuts({
    j: () => {
      move(1);
    },
    k: () => {
      move(-1);
    },
    ArrowDown: moveInList(1),
    ArrowUp: moveInList(-1),
    "/": () => searchRef.current?.focus(),
    x: () => {
      const id = message ?? focusedId();
      if (id !== null) selection.toggle(id, false);
    },
    c: () => {
      copyCode(list, message ?? focusedId());
    },
    u: () => {
      toggleFlag(page, "seen");
    },
    s: () => {
      toggleFlag(page, "flagged");
    },
    n: actions.compose,
    Delete: remove,
    "#": remove,
    Escape: () => leave(page),
  });
}

/** Clears the selection, or else closes the message; returns whether there was one of them. */
function leave({ route, selection, actions }: MailShortcutsProps): boolean {
  if (selection.ids.size > 0) selection.clear();
  else if (route.message === null) return false;
  else actions.close();
  return true;
}

/**
 * Removes a flag of the selected messages, or else of the open or focused one; adds it when none of them has it. Does nothing
 * for a key that may only read.
 */
function toggleFlag({ route, selection, marks }: MailShortcutsProps, flag: "seen" | "flagged"): void {
  const id = route.message ?? focusedId();
  const ids = selection.ids.size > 0 ? [...selection.ids] : id === null ? [] : [id];
  const isSet = ids.some((one) => marks.marksOf(one)?.flags.includes(flag) === true);
  if (marks.canMark) (flag === "seen" ? marks.setRead : marks.setStarred)(ids, !isSet);
}

function copyCode(list: MessageList, id: string | null): void {
  const [code] = list.excerpts.get(id ?? "")?.codes ?? [];
  if (code === undefined) return;
  void copyText(code).then(() => showToast({ text: `${strings.copied}: ${code}` }));
}

/** Returns whether arrow keys move in the list; elsewhere on the page they scroll and select tabs. */
function isListFocused(): boolean {
  return isFocusLost() || document.activeElement?.closest("[data-id]") != null;
}

/** Returns the id of the message whose row has the focus. */
function focusedId(): string | null {
  return document.activeElement?.closest<HTMLElement>("[data-id]")?.dataset["id"] ?? null;
}
