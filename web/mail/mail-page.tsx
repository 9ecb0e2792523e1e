import { useQueryClient } from "@tanstack/react-query";
import { useRef, type ReactElement, type RefObject } from "react";
import { FirstMessagePage } from "../connect/first-message-page.tsx";
import { markAllRead, markRead, useIsRead } from "../marks/read-marks.ts";
import { MessagePane } from "../message/message-pane.tsx";
import { navigate, useMailQuery } from "../navigation/location.tsx";
import { formatMailQuery, isFiltered, type MailQuery } from "../navigation/mail-query.ts";
import { routePath, type MessageTab } from "../navigation/place.ts";
import { copyText } from "../shared/copy.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { deleteWithUndo } from "../list/deletion.ts";
import { ListPane } from "../list/list-pane.tsx";
import { useMessageList, type MessageList } from "../list/use-message-list.ts";
import { useSelection, type Selection } from "../list/use-selection.ts";
import { useShortcuts } from "../shared/use-shortcuts.ts";

/** What the address says of the page. */
export interface MailRoute {
  readonly session: Session;
  readonly server: string;
  readonly message: string | null;
  readonly tab: MessageTab | null;
}

/** A server's messages: the list, and beside it (on small screens: over it) the one that is open. */
export function MailPage(route: MailRoute): ReactElement {
  const { session, server, message, tab } = route;
  const query = useMailQuery();
  const list = useMessageList(server, query);
  const selection = useSelection(list);
  const isRead = useIsRead(server);
  const actions = useActions(route, { query, list, selection });
  const searchRef = useRef<HTMLInputElement>(null);
  const focusRef = useRef<(row: number) => void>(() => undefined);
  useListKeys({ route, list, selection, actions, searchRef, focusRef });
  if (list.count === 0 && !list.isPending && list.error === null && !isFiltered(query) && message === null) {
    return <FirstMessagePage session={session} server={server} />;
  }
  return (
    <main className="mail" data-open={message !== null} id="content">
      <ListPane
        list={list}
        selection={selection}
        openId={message}
        isRead={isRead}
        hrefOf={actions.hrefOf}
        focusRef={focusRef}
        query={query}
        onSearch={actions.search}
        searchRef={searchRef}
        composeHref={routePath({ kind: "compose", server })}
        onDelete={() => {
          actions.remove([...selection.ids]);
        }}
        onReadAll={() => {
          markAllRead(server, list.at(0)?.received ?? "");
        }}
      />
      {message !== null && (
        <MessagePane
          key={message}
          id={message}
          server={server}
          session={session}
          tab={tab}
          hrefOf={actions.hrefOf}
          onClose={actions.close}
          onStep={actions.step}
          onDelete={() => {
            actions.remove([message]);
          }}
        />
      )}
    </main>
  );
}

interface Actions {
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
  readonly search: (query: MailQuery) => void;
  readonly close: () => void;
  readonly compose: () => void;
  /** Opens the next (1) or previous (-1) message. */
  readonly step: (by: 1 | -1) => void;
  /** Deletes messages; where the open one is among them, the one after it opens. */
  readonly remove: (ids: readonly string[]) => void;
}

function useActions(
  { server, message, tab }: MailRoute,
  { query, list, selection }: { query: MailQuery; list: MessageList; selection: Selection },
): Actions {
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
      if (id !== null) navigate(address(id, tab), { isReplaced: message !== null });
    },
    remove: (ids) => {
      if (ids.length === 0) return;
      if (message !== null && ids.includes(message)) {
        navigate(address(neighbour(1, ids) ?? neighbour(-1, ids), tab), { isReplaced: true });
      }
      selection.clear();
      deleteWithUndo(cache, server, ids);
    },
  };
}

function useListKeys(page: {
  readonly route: MailRoute;
  readonly list: MessageList;
  readonly selection: Selection;
  readonly actions: Actions;
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
    if (message === null && row >= 0)
      requestAnimationFrame(() => {
        focusRef.current(Math.min(row, list.count - 2));
      });
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

/** The message whose row has the focus. */
function focusedId(): string | null {
  return document.activeElement?.closest<HTMLElement>("[data-id]")?.dataset["id"] ?? null;
}
