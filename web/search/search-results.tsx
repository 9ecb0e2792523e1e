import { clsx } from "clsx";
import { MessageSquare } from "lucide-react";
import { type ReactElement, useRef } from "react";
import { useRefreshedResults, useServersSearch } from "../api/searches.ts";
import { useServers } from "../api/servers.ts";
import { NoMatches } from "../list/no-matches.tsx";
import type { OnSearch } from "../list/use-search-draft.ts";
import { Link } from "../navigation/location.tsx";
import { formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import { markedTerms } from "../navigation/query-text.ts";
import { routePath } from "../navigation/routes.ts";
import { Age } from "../shared/age.tsx";
import badgeStyles from "../shared/badge.module.css";
import { Button } from "../shared/button.tsx";
import { addressOf, formatPreview } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { useHighlights } from "../shared/use-highlights.ts";
import { strings } from "../strings.ts";
import type { Summary } from "../wire.ts";
import styles from "./search-page.module.css";

const labels = strings.search;
/** Results beyond this number of pages are not refreshed: each page is a request. */
const refreshedPagesMax = 4;

/** Results of a search over all servers, each with the name of its server. */
export function Results({ query, onSearch }: { readonly query: MailQuery; readonly onSearch: OnSearch }): ReactElement {
  const ref = useRef<HTMLDivElement>(null);
  const { data: servers } = useServers();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useServersSearch(query);
  useRefreshedResults((data?.pages.length ?? 0) <= refreshedPagesMax);
  useHighlights(ref, markedTerms(query.q));
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const messages = data?.pages.flatMap(({ items }) => items) ?? [];
  if (data !== undefined && messages.length === 0) return <NoMatches server={null} query={query} onSearch={onSearch} />;
  const nameOf = (id: string): string => servers?.find((server) => server.id === id)?.name ?? id;
  return (
    <div ref={ref} className={layout.stack}>
      <ul className={styles.results} aria-label={labels.results} aria-busy={data === undefined}>
        {messages.map((message) => (
          <ResultRow key={message.id} message={message} serverName={nameOf(message.server)} search={query} />
        ))}
      </ul>
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {labels.more}
        </Button>
      )}
    </div>
  );
}

function ResultRow(props: {
  readonly message: Summary;
  readonly serverName: string;
  readonly search: MailQuery;
}): ReactElement {
  const { message, serverName, search } = props;
  const { id, server, type, received } = message;
  const isSms = type === "SMS";
  const subject = isSms ? message.summary || strings.list.noText : message.subject || strings.list.noSubject;
  const [from = "", to = ""] = [message.from, [...message.to, ...message.cc, ...message.bcc]].map((contacts) =>
    contacts.slice(0, 1).map(addressOf).join(),
  );
  return (
    <li className={styles.result}>
      <span className={clsx(badgeStyles.badge, styles.server, layout.clip)}>{serverName}</span>
      <Link
        className={clsx(styles.subject, layout.clip)}
        href={routePath({ kind: "mail", server, message: id, tab: null }) + formatMailQuery(search)}
        data-field={isSms ? "body" : "subject"}
      >
        {subject}
      </Link>
      <span className={clsx(styles.contacts, layout.clip)}>
        <span data-field="from">{from}</span> <span aria-hidden>→</span> <span data-field="to">{to}</span>
      </span>
      <span className={clsx(styles.summary, layout.clip)} data-field="body">
        {isSms ? "" : formatPreview(message)}
      </span>
      <span className={styles.meta}>
        {isSms && <MessageSquare size={13} aria-label={strings.list.sms} />}
        <Age instant={received} />
      </span>
    </li>
  );
}
