import { Suspense, useRef, type ReactElement, useCallback, useEffect, useState, type RefObject } from "react";
import { usePermissions } from "../api/permissions.ts";
import { ListPane } from "../list/list-pane.tsx";
import { useMessageList, type MessageList } from "../list/use-message-list.ts";
import { useSelection, type Selection } from "../list/use-selection.ts";
import { useMailQuery } from "../navigation/location.tsx";
import { formatMailQuery, isFiltered } from "../navigation/mail-query.ts";
import { routePath } from "../navigation/routes.ts";
import { copyText } from "../shared/copy.tsx";
import { lazyComponent } from "../shared/lazy-component.ts";
import { contentId, takeLostFocus, isFocusLost } from "../shared/lost-focus.ts";
import { PageFrame } from "../shared/page.tsx";
import { showToast } from "../shared/toast.tsx";
import { useShortcuts } from "../shared/use-shortcuts.ts";
import { strings } from "../strings.ts";
import styles from "./mail-page.module.css";
import { type MailActions, type MailMarks, type MailRoute, useMailActions, useMailMarks } from "./use-mail-actions.ts";

const FirstMessagePage = lazyComponent(async () => (await import("../connect/connect-page.tsx")).FirstMessagePage);
const MessagePane = lazyComponent(async () => (await import("../message/message-pane.tsx")).MessagePane);

/** Messages of a server: the list, and beside it (on small screens: above it) the open message. */
export function MailPage(route: MailRoute): ReactElement {
  const { session, server, message, tab } = route;
  const query = useMailQuery();
  const currentId = useCurrentId(message);
  const list = useMessageList({ server, query, currentId });
  const selection = useSelection(list, server + formatMailQuery(query));
  const marks = useMailMarks(server, { query, list });
  const actions = useMailActions(route, { query, list, selection });
  const searchRef = useRef<HTMLInputElement>(null);
  const focusRef = useRef<(row: number) => void>(() => undefined);
  useMailShortcuts({ route, currentId, list, selection, actions, marks, searchRef, focusRef });
  const onOpened = useFollowingFocus({ message, currentId, list, focusRef });
  if (list.count === 0 && !list.isPending && list.error === null && !isFiltered(query) && message === null) {
    return <EmptyServer {...route} />;
  }
  return (
    <main className={styles.mail} data-open={message !== null} id={contentId} ref={takeLostFocus} tabIndex={-1}>
      <ListPane
        list={list}
        selection={selection}
        openId={message}
        currentId={currentId}
        marksOf={marks.marksOf}
        server={server}
        marks={marks}
        onStar={marks.canMark ? marks.setStarred : null}
        onTag={actions.searchTag}
        hrefOf={actions.hrefOf}
        focusRef={focusRef}
        query={query}
        onSearch={actions.search}
        searchRef={searchRef}
        composeHref={routePath({ kind: "compose", server })}
        onDelete={() => actions.remove([...selection.ids])}
        onReadAll={marks.readAll}
      />
      {message !== null && (
        <Suspense fallback={<article aria-busy />}>
          <MessagePane
            key={message}
            id={message}
            server={server}
            listedBytes={list.excerpts.get(message)?.sizeBytes}
            session={session}
            tab={tab}
            hrefOf={actions.hrefOf}
            onOpened={onOpened}
            onClose={actions.close}
            onStep={actions.step}
            onDelete={() => actions.remove([message])}
          />
        </Suspense>
      )}
    </main>
  );
}

function EmptyServer({ session, server }: MailRoute): ReactElement {
  return (
    <Suspense fallback={<PageFrame isBusy />}>
      <FirstMessagePage session={session} server={server} />
    </Suspense>
  );
}

/** Returns the id of the open message or, without one, of the message that was open last. */
function useCurrentId(message: string | null): string | null {
  const [last, setLast] = useState(message);
  if (message !== null && message !== last) setLast(message);
  return message ?? last;
}

/**
 * Keeps the focus with the open message: on its row in the list or, where the message covers the list or is not in it, on the
 * message itself, which calls the returned function. When the message closes, its row gets the focus.
 */
function useFollowingFocus(page: {
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

/** Page that the keyboard shortcuts act on. */
interface MailShortcutsProps {
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
function useMailShortcuts(page: MailShortcutsProps): void {
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
  const { canSend, canManage } = usePermissions();
  const remove = (): void => {
    if (!canManage) return;
    const id = message ?? focusedId();
    const row = list.rowOf(id ?? "");
    if (selection.ids.size > 0) actions.remove([...selection.ids]);
    else if (id !== null) actions.remove([id]);
    if (message === null && row >= 0) {
      requestAnimationFrame(() => focusRef.current(Math.min(row, list.count - 2)));
    }
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: moveInList(1),
    ArrowUp: moveInList(-1),
    "/": () => searchRef.current?.focus(),
    x: () => {
      const id = message ?? focusedId();
      if (id !== null && canManage) selection.toggle(id, false);
    },
    c: () => copyCode(list, message ?? focusedId()),
    u: () => toggleFlag(page, "seen"),
    s: () => toggleFlag(page, "flagged"),
    n: canSend ? actions.compose : () => false,
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
