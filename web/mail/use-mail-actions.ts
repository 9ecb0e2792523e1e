import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { type MarksOf, useMarks } from "../api/mark-state.ts";
import { useFollowedMarks, useMarkAllRead } from "../api/marks.ts";
import { deleteWithUndo } from "../list/deletion.ts";
import type { MessageList } from "../list/use-message-list.ts";
import type { OnSearch } from "../list/use-search-draft.ts";
import type { Selection } from "../list/use-selection.ts";
import { type MarkActions, showMarkError, useMarkActions } from "../marks/use-mark-actions.ts";
import { navigate } from "../navigation/location.tsx";
import { formatMailQuery, type MailQuery, operatorTerm, termsOf, withTerms } from "../navigation/mail-query.ts";
import { type MessageTab, routePath } from "../navigation/routes.ts";
import type { Session } from "../wire.ts";

/** Route of the mail page, with the session. */
export interface MailRoute {
  readonly session: Session;
  readonly server: string;
  /** Id of the open message. */
  readonly message: string | null;
  readonly tab: MessageTab | null;
}

/** State of the page: its query, the list for it, and the selected messages. */
interface MailState {
  readonly query: MailQuery;
  readonly list: MessageList;
  readonly selection: Selection;
}

/** Actions of the mail page. */
export interface MailActions {
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
  readonly search: OnSearch;
  /** Narrows the list to messages with a tag; always the same function. */
  readonly searchTag: (tag: string) => void;
  readonly close: () => void;
  readonly compose: () => void;
  /** Opens the next (1) or previous (-1) message. */
  readonly step: (by: 1 | -1) => void;
  /** Deletes messages; if the open one is among them, opens the one after it. */
  readonly remove: (ids: readonly string[]) => void;
}

/** Returns the actions of the mail page for its current state. */
export function useMailActions({ server, message, tab }: MailRoute, state: MailState): MailActions {
  const { query, list, selection } = state;
  const cache = useQueryClient();
  const latest = useRef(query);
  useEffect(() => {
    latest.current = query;
  });
  const searchTag = useCallback(
    (tag: string) => {
      const term = operatorTerm("tag", tag);
      const { q } = latest.current;
      const next = termsOf(q).includes(term) ? latest.current : withTerms(latest.current, term);
      navigate(routePath({ kind: "mail", server, message: null, tab: null }) + formatMailQuery(next));
    },
    [server],
  );
  const search = formatMailQuery(query);
  const address = (id: string | null, shown: MessageTab | null): string =>
    routePath({ kind: "mail", server, message: id, tab: shown }) + search;
  useFollowedTemplate({ message, tab }, list, address);
  const openRow = useOpenRow(list, message);
  const neighbour = (by: number, without: readonly string[] = []): string | null => {
    let row = message === null ? -1 : list.rowOf(message);
    // The open message has left the list, and the one after it has its row.
    if (row < 0 && message !== null) row = by > 0 ? Math.max(0, openRow) - 1 : openRow;
    for (row += by; row >= 0 && row < list.count; row += by) {
      const id = list.at(row)?.id;
      if (id === undefined) return null;
      if (!without.includes(id)) return id;
    }
    return null;
  };
  return {
    hrefOf: (id, shown) => address(id, shown ?? null),
    search: (next, options) =>
      navigate(routePath({ kind: "mail", server, message, tab }) + formatMailQuery(next), options),
    searchTag,
    close: () => navigate(address(null, null)),
    compose: () => navigate(routePath({ kind: "compose", server })),
    step: (by) => {
      const id = neighbour(by);
      if (id !== null) navigate(address(id, tab), { replace: message !== null });
    },
    remove: (ids) => {
      if (ids.length === 0) return;
      if (message !== null && ids.includes(message)) {
        navigate(address(neighbour(1, ids) ?? neighbour(-1, ids), tab), { replace: true });
      }
      selection.clear();
      deleteWithUndo(cache, server, ids);
    },
  };
}

/** Returns the row of the open message or, once the list no longer has it, the row that it had; -1 when it never had one. */
function useOpenRow(list: MessageList, message: string | null): number {
  const [last, setLast] = useState({ message, row: -1 });
  const row = message === null ? -1 : list.rowOf(message);
  if (last.message !== message || (row >= 0 && row !== last.row)) setLast({ message, row });
  return row >= 0 || last.message !== message ? row : last.row;
}

/** Recipient of `restante preview`: each template has an address of its own, with this plus part. */
const templateRecipient = /\+template@/;

/**
 * Follows the open template of `restante preview`: when a new rendering has taken the place of its message, opens that in the
 * same tab.
 */
function useFollowedTemplate(
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

/** Marks of the messages of a list, and the actions on them. */
export interface MailMarks extends MarkActions {
  readonly marksOf: MarksOf;
  /** Marks all messages of the list as read. */
  readonly readAll: () => void;
}

/** Follows the marks of the messages of a server, and returns them with their actions. */
export function useMailMarks(server: string, { query, list }: Pick<MailState, "query" | "list">): MailMarks {
  useFollowedMarks(server);
  const marksOf = useMarks();
  const actions = useMarkActions(server);
  const markAllRead = useMarkAllRead(server);
  const readAll = (): void => {
    markAllRead(query, [...list.excerpts.keys()]).catch(showMarkError);
  };
  return { ...actions, marksOf, readAll };
}
