import { Inbox, SearchX } from "lucide-react";
import { useRef, type ReactElement, type RefObject } from "react";
import { isFiltered, type MailQuery } from "../navigation/mail-query.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import { ListHead } from "./list-head.tsx";
import { MessageRows, type RowsProps } from "./message-rows.tsx";
import { SearchPanel } from "./search-panel.tsx";
import { useIsWide } from "../shared/use-is-wide.ts";

/** What the list of a server's messages needs. */
export interface ListPaneProps extends Omit<RowsProps, "isWide"> {
  readonly query: MailQuery;
  readonly onSearch: (query: MailQuery) => void;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly onDelete: () => void;
  readonly onReadAll: () => void;
  readonly composeHref: string;
}

const wideMin = 860;

/** Search, count and rows. */
export function ListPane(props: ListPaneProps): ReactElement {
  const { list, selection, query, onSearch, searchRef, onDelete, onReadAll, composeHref } = props;
  const ref = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(ref, wideMin);
  return (
    <div ref={ref} className="list-pane" data-wide={isWide} data-selecting={selection.ids.size > 0}>
      <h1 className="visually-hidden">{strings.list.label}</h1>
      <SearchPanel query={query} onSearch={onSearch} inputRef={searchRef} />
      <ListHead list={list} selection={selection} onDelete={onDelete} onReadAll={onReadAll} composeHref={composeHref} />
      {list.error === null ? (
        list.count === 0 && !list.isPending ? (
          <EmptyList query={query} />
        ) : (
          <MessageRows {...props} isWide={isWide} />
        )
      ) : (
        <div className="empty">
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
    <div className="empty">
      <Icon size={32} strokeWidth={1.4} aria-hidden />
      <p>{isSent ? strings.list.noneSent : strings.list.nothing}</p>
      {!isSent && isFiltered(query) && <p className="small">{strings.list.nothingHint}</p>}
    </div>
  );
}
