import { KeyRound, MailOpen, Paperclip, Star, type LucideIcon } from "lucide-react";
import type { ReactElement } from "react";
import type { MailQuery } from "../navigation/mail-query.ts";
import { strings } from "../strings.ts";
import { hasTerm, toggleTerm } from "./filter-terms.ts";
import styles from "./list.module.css";
import { TagFilter } from "./tag-filter.tsx";

/** Filters by their terms; the menu of tags follows the second one, so that it is in view on phones. */
const filters: readonly { readonly term: string; readonly label: string; readonly icon: LucideIcon }[] = [
  { term: "is:unread", label: strings.filters.unread, icon: MailOpen },
  { term: "is:flagged", label: strings.filters.starred, icon: Star },
  { term: "has:code", label: strings.filters.code, icon: KeyRound },
  { term: "has:attachment", label: strings.filters.attachment, icon: Paperclip },
];

/** Filters that are terms of the query, so that the address of the page has them. */
export function FilterBar(props: {
  readonly server: string;
  readonly query: MailQuery;
  readonly onSearch: (query: MailQuery) => void;
}): ReactElement {
  const { query, onSearch } = props;
  const [unread, starred, ...others] = filters.map(({ term, label, icon: Icon }) => (
    <button
      key={term}
      type="button"
      className={styles.filter}
      aria-pressed={hasTerm(query, term)}
      onClick={() => {
        onSearch(toggleTerm(query, term));
      }}
    >
      <Icon size={13} aria-hidden />
      {label}
    </button>
  ));
  return (
    <div className={styles.filterBar} role="group" aria-label={strings.filters.label}>
      {unread}
      {starred}
      <TagFilter {...props} />
      {others}
    </div>
  );
}
