import type { RefObject } from "react";
import type { MessageList } from "../list/use-message-list.ts";
import type { Selection } from "../list/use-selection.ts";
import { markRead } from "../marks/read-marks.ts";
import { copyText } from "../shared/copy.tsx";
import { showToast } from "../shared/toast.tsx";
import { useShortcuts } from "../shared/use-shortcuts.ts";
import { strings } from "../strings.ts";
import type { MailActions, MailRoute } from "./use-mail-actions.ts";

/** Handles the keyboard shortcuts of the mail page. */
export function useMailShortcuts(page: {
  readonly route: MailRoute;
  readonly list: MessageList;
  readonly selection: Selection;
  readonly actions: MailActions;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly focusRef: RefObject<(row: number) => void>;
}): void {
  const { route, list, selection, actions, searchRef, focusRef } = page;
  const { message, server } = route;
  const move = (by: 1 | -1): void => {
    if (message !== null) {
      actions.step(by);
      return;
    }
    const row = Math.min(list.count - 1, Math.max(0, list.rowOf(focusedId() ?? "") + by));
    focusRef.current(row);
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
    "/": () => searchRef.current?.focus(),
    x: () => {
      const id = message ?? focusedId();
      if (id !== null) selection.toggle(id, false);
    },
    c: () => {
      copyCode(list, message ?? focusedId());
    },
    u: () => {
      const found = list.at(list.rowOf(message ?? focusedId() ?? ""));
      if (found !== undefined) markRead(server, found, false);
    },
    n: actions.compose,
    Delete: remove,
    "#": remove,
    Escape: () => {
      if (selection.ids.size > 0) selection.clear();
      else if (message !== null) actions.close();
    },
  });
}

function copyCode(list: MessageList, id: string | null): void {
  const [code] = list.excerpts.get(id ?? "")?.codes ?? [];
  if (code === undefined) return;
  void copyText(code).then(() => showToast({ text: `${strings.copied}: ${code}` }));
}

/** Returns the id of the message whose row has the focus. */
function focusedId(): string | null {
  return document.activeElement?.closest<HTMLElement>("[data-id]")?.dataset["id"] ?? null;
}
