import { Inbox } from "lucide-react";
import { type ReactElement, type RefObject, Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { MarkActions } from "../marks/use-mark-actions.ts";
import { formatMailQuery, hasSearch, type MailQuery } from "../navigation/mail-query.ts";
import { markedTermsOf } from "../navigation/query-text.ts";
import layout from "../shared/layout.module.css";
import { lazyComponent } from "../shared/lazy-component.ts";
import { ErrorNotice } from "../shared/notice.tsx";
import pageStyles from "../shared/page.module.css";
import { useHighlights } from "../shared/use-highlights.ts";
import { strings } from "../strings.ts";
import { ListHead } from "./list-head.tsx";
import styles from "./list.module.css";
import { MessageRows, type MessageRowsProps } from "./message-rows.tsx";
import { SearchPanel } from "./search-panel.tsx";
import type { OnSearch } from "./use-search-draft.ts";

const NoMatches = lazyComponent(async () => (await import("./no-matches.tsx")).NoMatches);

/** Props of {@link ListPane}. */
interface ListPaneProps extends Omit<MessageRowsProps, "isSent" | "isWide" | "terms"> {
  readonly server: string;
  readonly query: MailQuery;
  readonly onSearch: OnSearch;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly marks: MarkActions;
  readonly onDelete: () => void;
  readonly onReadAll: () => void;
  readonly composeHref: string;
}

const wideMin = 860;

/** Search, message count and rows of a list. */
export function ListPane(props: ListPaneProps): ReactElement {
  const { list, selection, server, query, onSearch, searchRef } = props;
  const ref = useRef<HTMLDivElement>(null);
  const terms = markedTermsOf(query);
  useHighlights(ref, terms);
  useTopOfResults(ref, query);
  const isWide = useIsWide(ref, wideMin);
  return (
    <div ref={ref} className={styles.listPane} data-wide={isWide} data-selecting={selection.ids.size > 0}>
      <h1 className={layout.visuallyHidden}>{strings.list.label}</h1>
      <SearchPanel server={server} query={query} onSearch={onSearch} inputRef={searchRef} list={list} />
      <ListHead {...props} />
      {list.error === null ? (
        list.count === 0 && !list.isPending ? (
          <EmptyList server={server} query={query} onSearch={onSearch} />
        ) : (
          <MessageRows {...props} terms={terms} isSent={query.direction === "Sent"} isWide={isWide} />
        )
      ) : (
        <div className={pageStyles.empty}>
          <ErrorNotice error={list.error} onRetry={list.retry} />
        </div>
      )}
    </div>
  );
}

/** Shows the results of another query from the first one on. */
function useTopOfResults(ref: RefObject<HTMLElement | null>, query: MailQuery): void {
  const name = formatMailQuery(query);
  const former = useRef(name);
  useLayoutEffect(() => {
    if (former.current === name) return;
    former.current = name;
    const region = ref.current?.querySelector("[role=region]");
    if (region !== null && region !== undefined) region.scrollTop = 0;
  }, [ref, name]);
}

function EmptyList({ server, query, onSearch }: Pick<ListPaneProps, "server" | "query" | "onSearch">): ReactElement {
  if (hasSearch(query)) {
    return (
      <Suspense fallback={<div />}>
        <NoMatches server={server} query={query} onSearch={onSearch} />
      </Suspense>
    );
  }
  return (
    <div className={pageStyles.empty}>
      <Inbox size={32} strokeWidth={1.4} aria-hidden />
      <p>{query.direction === "Sent" ? strings.list.noneSent : strings.list.nothing}</p>
    </div>
  );
}

/** Returns whether an element is at least `widthMin` CSS pixels wide. */
function useIsWide(ref: RefObject<HTMLElement | null>, widthMin: number): boolean {
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    if (ref.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWide(entry.contentRect.width >= widthMin);
    });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [ref, widthMin]);
  return isWide;
}
