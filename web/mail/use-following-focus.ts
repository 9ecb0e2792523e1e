import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import type { MessageList } from "../list/use-message-list.ts";
import { isFocusLost } from "../shared/lost-focus.ts";

/** Returns the id of the open message or, without one, of the message that was open last. */
export function useCurrentId(message: string | null): string | null {
  const [last, setLast] = useState(message);
  if (message !== null && message !== last) setLast(message);
  return message ?? last;
}

/**
 * Keeps the focus with the open message: on its row in the list or, where the message covers the list or is not in it, on the
 * message itself, which calls the returned function. When the message closes, its row gets the focus.
 */
export function useFollowingFocus(page: {
  readonly message: string | null;
  readonly currentId: string | null;
  readonly list: MessageList;
  readonly focusRef: RefObject<(row: number) => void>;
}): (article: HTMLElement) => void {
  const latest = useRef(page);
  useEffect(() => {
    latest.current = page;
  });
  const { message } = page;
  const former = useRef(message);
  useEffect(() => {
    if (former.current === message) return;
    former.current = message;
    const { currentId, list, focusRef } = latest.current;
    const row = list.rowOf(currentId ?? "");
    if (row >= 0 && !isTyping()) focusRef.current(row);
  }, [message]);
  return useCallback((article) => {
    const { currentId, list } = latest.current;
    const isCovered = matchMedia(messageCoversList).matches;
    if (isCovered || (list.rowOf(currentId ?? "") < 0 && isFocusLost())) article.focus();
  }, []);
}

const messageCoversList = "(width < 900px)";

function isTyping(): boolean {
  return document.activeElement?.matches("input:not([type=checkbox]), textarea, select") ?? false;
}
