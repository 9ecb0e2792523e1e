import { Suspense, useRef, type ReactElement } from "react";
import { ListPane } from "../list/list-pane.tsx";
import { useMessageList } from "../list/use-message-list.ts";
import { useSelection } from "../list/use-selection.ts";
import { useMailQuery } from "../navigation/location.tsx";
import { formatMailQuery, isFiltered } from "../navigation/mail-query.ts";
import { routePath } from "../navigation/routes.ts";
import { lazyComponent } from "../shared/lazy-component.ts";
import { contentId, takeLostFocus } from "../shared/lost-focus.ts";
import { PageFrame } from "../shared/page.tsx";
import styles from "./mail-page.module.css";
import { useCurrentId, useFollowingFocus } from "./use-following-focus.ts";
import { useMailActions, type MailRoute } from "./use-mail-actions.ts";
import { useMailMarks } from "./use-mail-marks.ts";
import { useMailShortcuts } from "./use-mail-shortcuts.ts";

const FirstMessagePage = lazyComponent(
  async () => (await import("../connect/first-message-page.tsx")).FirstMessagePage,
);
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
        onDelete={() => {
          actions.remove([...selection.ids]);
        }}
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
            onDelete={() => {
              actions.remove([message]);
            }}
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
