import { clsx } from "clsx";
import { ArrowLeft } from "lucide-react";
import { type ReactElement, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useKnownReports } from "../api/checks.ts";
import { ApiError } from "../api/client.ts";
import { useConversation, useMessage, useMessageSize } from "../api/messages.ts";
import { useSeen } from "../marks/use-mark-actions.ts";
import { navigate } from "../navigation/location.tsx";
import type { MessageTab } from "../navigation/routes.ts";
import { pageStrings } from "../page-strings.ts";
import { IconButton } from "../shared/button.tsx";
import { Segments } from "../shared/field.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import pageStyles from "../shared/page.module.css";
import { Tabs } from "../shared/tabs.tsx";
import type { Message, Session } from "../wire.ts";
import { judgeGroups, scoreOf } from "./checks/checks-score.ts";
import { MessageHead } from "./message-head.tsx";
import styles from "./message-pane.module.css";
import { firstTab, type MessageTabItem, tabItems } from "./message-tabs.ts";
import { MessageTools } from "./message-tools.tsx";
import { TabContent } from "./tab-content.tsx";

/** Props of {@link MessagePane}. */
interface MessagePaneProps {
  readonly id: string;
  readonly server: string;
  /** Size of the message as the list knows it; undefined for a message that the list does not have. */
  readonly listedBytes: number | undefined;
  readonly session: Session;
  /** Null selects the best view for the message. */
  readonly tab: MessageTab | null;
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
  /** Called with the element of the message when it is opened. */
  readonly onOpened: (article: HTMLElement) => void;
  readonly onClose: () => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onDelete: () => void;
}

/** The open message. */
export function MessagePane(props: MessagePaneProps): ReactElement {
  const { id, server, onOpened } = props;
  const ref = useRef<HTMLElement>(null);
  const { data: message, error, refetch } = useMessage(id);
  useSeen(server, message?.server === server ? id : null);
  useEffect(() => {
    if (ref.current !== null) onOpened(ref.current);
  }, [onOpened]);
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <article ref={ref} tabIndex={-1} className={styles.messagePane} aria-label={pageStrings.message.label}>
      {message !== undefined && message.server === server ? (
        <OpenMessage {...props} message={message} />
      ) : (
        <>
          <LoadingHead onClose={props.onClose} />
          <div className={pageStyles.empty}>
            {error === null && message === undefined && <p>{pageStrings.message.loading}</p>}
            {(isMissing || message !== undefined) && <p>{pageStrings.message.missing}</p>}
            {error !== null && !isMissing && <ErrorNotice error={error} onRetry={() => void refetch()} />}
          </div>
        </>
      )}
    </article>
  );
}

/** Header of a message that is not loaded. When it goes with the focus in it, the article gets the focus. */
function LoadingHead({ onClose }: { readonly onClose: () => void }): ReactElement {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const head = ref.current;
    const article = head?.closest("article");
    return () => {
      if (head?.contains(document.activeElement) === true) article?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div ref={ref} className={styles.messageHead}>
      <IconButton name={pageStrings.message.back} icon={ArrowLeft} onClick={onClose} />
    </div>
  );
}

function OpenMessage(props: MessagePaneProps & { readonly message: Message }): ReactElement {
  const { id, message, listedBytes, tab, hrefOf, onClose, session } = props;
  const sizeBytes = useMessageSize(id, listedBytes);
  const { items, current, selected } = useTabs(message, tab);
  const [toolbar, setToolbar] = useState<HTMLElement | null>(null);
  const show = (view: MessageTab): void => navigate(hrefOf(id, view), { replace: true });
  return (
    <>
      <div>
        <MessageHead
          message={message}
          sizeBytes={sizeBytes}
          deliveryHref={hrefOf(id, "delivery")}
          attachmentsHref={hrefOf(id, "attachments")}
          tools={<MessageTools {...props} />}
          onBack={onClose}
        />
      </div>
      <Tabs
        className={styles.tabs}
        listClassName={styles.tabList}
        panelClassName={clsx(styles.messageBody, selected !== "html" && styles.padded)}
        label={pageStrings.message.tabList}
        items={items}
        selected={current?.name ?? "mail"}
        onSelect={(name) => {
          const first = items.find((item) => item.name === name)?.views[0]?.[0];
          show(name === "mail" || first === undefined ? firstTab(message) : first);
        }}
      >
        {current !== undefined && (current.views.length > 1 || selected === "html") && (
          <div className={styles.viewTools} ref={setToolbar}>
            {current.views.length > 1 && (
              <Segments label={pageStrings.message.viewList} value={selected} options={current.views} onChange={show} />
            )}
          </div>
        )}
        <TabContent selected={selected} message={message} session={session} hrefOf={hrefOf} toolbar={toolbar} />
      </Tabs>
    </>
  );
}

/** Returns the tabs of a message, the current one, and its view that the address selects, or else the best for the message. */
function useTabs(message: Message, requested: MessageTab | null) {
  const first = firstTab(message);
  const { data } = useConversation(message.server, message.id, (requested ?? first) === "conversation");
  const score = useKnownScore(message.id);
  const items = tabItems(message, { turnCount: data?.turns.length ?? 1, requested, score });
  const tabWith = (view: MessageTab | null): MessageTabItem | undefined =>
    items.find((item) => item.views.some(([name]) => name === view));
  const current = tabWith(requested);
  return current === undefined
    ? { items, current: tabWith(first), selected: first }
    : { items, current, selected: requested ?? first };
}

/**
 * Returns the score of a message whose checks were shown before; null for others. Checks are not done for it: they use a worker
 * thread for a while, and the DNS.
 */
function useKnownScore(id: string): ReturnType<typeof scoreOf> | null {
  const { lint, delivery } = useKnownReports(id);
  return lint === undefined || delivery === undefined ? null : scoreOf(judgeGroups(lint, delivery));
}
