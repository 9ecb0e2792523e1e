import { useQueryClient } from "@tanstack/react-query";
import { deleteWithUndo } from "../list/deletion.ts";
import type { MessageList } from "../list/use-message-list.ts";
import type { Selection } from "../list/use-selection.ts";
import { navigate } from "../navigation/location.tsx";
import { formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import { routePath, type MessageTab } from "../navigation/routes.ts";
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
export interface MailState {
  readonly query: MailQuery;
  readonly list: MessageList;
  readonly selection: Selection;
}

/** Actions of the mail page. */
export interface MailActions {
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
  readonly search: (query: MailQuery) => void;
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
  const search = formatMailQuery(query);
  const address = (id: string | null, shown: MessageTab | null): string =>
    routePath({ kind: "mail", server, message: id, tab: shown }) + search;
  const neighbour = (by: number, without: readonly string[] = []): string | null => {
    let row = message === null ? -1 : list.rowOf(message);
    for (row += by; row >= 0 && row < list.count; row += by) {
      const id = list.at(row)?.id;
      if (id === undefined) return null;
      if (!without.includes(id)) return id;
    }
    return null;
  };
  return {
    hrefOf: (id, shown) => address(id, shown ?? null),
    search: (next) => {
      navigate(routePath({ kind: "mail", server, message, tab }) + formatMailQuery(next));
    },
    close: () => {
      navigate(address(null, null));
    },
    compose: () => {
      navigate(routePath({ kind: "compose", server }));
    },
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
