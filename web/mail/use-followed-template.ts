import { useEffect, useRef } from "react";
import type { MessageList } from "../list/use-message-list.ts";
import { navigate } from "../navigation/location.tsx";
import type { MessageTab } from "../navigation/routes.ts";

/** Recipient of `restante preview`: each template has an address of its own, with this plus part. */
const templateRecipient = /\+template@/;

/**
 * Follows the open template of `restante preview`: when a new rendering has taken the place of its message, opens that in the
 * same tab.
 */
export function useFollowedTemplate(
  { message, tab }: { readonly message: string | null; readonly tab: MessageTab | null },
  list: MessageList,
  hrefOf: (id: string, tab: MessageTab | null) => string,
): void {
  /** Open message while the list had it, and the address of its template. */
  const former = useRef<{ readonly id: string; readonly recipient: string } | null>(null);
  useEffect(() => {
    const recipientOf = (id: string): string => list.at(list.rowOf(id))?.to[0]?.email ?? "";
    if (message !== null && list.rowOf(message) >= 0) {
      const recipient = recipientOf(message);
      former.current = templateRecipient.test(recipient) ? { id: message, recipient } : null;
      return;
    }
    const left = former.current;
    if (left === null || left.id !== message) return;
    const next = list.loadedIds().find((id) => recipientOf(id) === left.recipient);
    if (next !== undefined) navigate(hrefOf(next, tab), { replace: true });
  });
}
