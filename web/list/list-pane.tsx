import { Inbox, SearchX } from "lucide-react";
import { useRef, type ReactElement, type RefObject } from "react";
import type { MarkActions } from "../marks/use-mark-actions.ts";
import { isFiltered, type MailQuery } from "../navigation/mail-query.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import pageStyles from "../shared/page.module.css";
import { useIsWide } from "../shared/use-is-wide.ts";
import { strings } from "../strings.ts";
import { ListHead } from "./list-head.tsx";
import styles from "./list.module.css";
import { MessageRows, type MessageRowsProps } from "./message-rows.tsx";
import { SearchPanel } from "./search-panel.tsx";

/** Props of {@link ListPane}. */
export interface ListPaneProps extends Omit<MessageRowsProps, "isWide"> {
  readonly query: MailQuery;
  readonly onSearch: (query: MailQuery) => void;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly server: string;
  readonly marks: MarkActions;
  readonly onDelete: () => void;
  readonly onReadAll: () => void;
  readonly composeHref: string;
}

const wideMin = 860;

/** Search, message count and rows of a list. */
export function ListPane(props: ListPaneProps): ReactElement {
  const { list, selection, query, onSearch, searchRef } = props;
  const ref = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(ref, wideMin);
  return (
    <div ref={ref} className={styles.listPane} data-wide={isWide} data-selecting={selection.ids.size > 0}>
      <h1 className={layout.visuallyHidden}>{strings.list.label}</h1>
      <SearchPanel query={query} onSearch={onSearch} inputRef={searchRef} />
      <ListHead {...props} />
      {list.error === null ? (
        list.count === 0 && !list.isPending ? (
          <EmptyList query={query} />
        ) : (
          <MessageRows {...props} isWide={isWide} />
        )
      ) : (
        <div className={pageStyles.empty}>
          <ErrorNotice error={list.error} onRetry={list.retry} />
        </div>
      )}
    </div>
  );
}

function EmptyList({ query }: { readonly query: MailQuery }): ReactElement {
  const isSent = query.direction === "Sent" && Object.keys(query.criteria).length === 0;
  const Icon = isFiltered(query) ? SearchX : Inbox;
  return (
    <div className={pageStyles.empty}>
      <Icon size={32} strokeWidth={1.4} aria-hidden />
      <p>{isSent ? strings.list.noneSent : strings.list.nothing}</p>
      {!isSent && isFiltered(query) && <p className={layout.small}>{strings.list.nothingHint}</p>}
    </div>
  );
}
