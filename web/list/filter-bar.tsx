import { KeyRound, MailOpen, Paperclip, Star, type LucideIcon, ChevronDown, Tag } from "lucide-react";
import { type ReactElement, useRef, useState } from "react";
import type { MailQuery } from "../navigation/mail-query.ts";
import { lazyPart } from "../shared/lazy-component.ts";
import { strings } from "../strings.ts";
import { filterTerms, hasTagTerm, hasTerm, toggleTerm } from "./filter-terms.ts";
import styles from "./list.module.css";

/** Labels of the filters; the menu of tags follows the second one, so that it is in view on phones. */
const filters: Readonly<Record<(typeof filterTerms)[number], readonly [label: string, icon: LucideIcon]>> = {
  "is:unread": [strings.filters.unread, MailOpen],
  "is:flagged": [strings.filters.starred, Star],
  "has:code": [strings.filters.code, KeyRound],
  "has:attachment": [strings.filters.attachment, Paperclip],
};

/** Search of a server, and the function that changes it. */
export interface FilterProps {
  readonly server: string;
  readonly query: MailQuery;
  readonly onSearch: (query: MailQuery) => void;
}

/** Filters that are terms of the query, so that the address of the page has them. */
export function FilterBar(props: FilterProps): ReactElement {
  const { query, onSearch } = props;
  const [unread, starred, ...others] = filterTerms.map((term) => {
    const [label, Icon] = filters[term];
    return (
      <button
        key={term}
        type="button"
        className={styles.filter}
        aria-pressed={hasTerm(query, term)}
        onClick={() => onSearch(toggleTerm(query, term))}
      >
        <Icon size={13} aria-hidden />
        {label}
      </button>
    );
  });
  return (
    <div className={styles.filterBar} role="group" aria-label={strings.filters.label}>
      {(query.direction === "Received" || hasTerm(query, "is:unread")) && unread}
      {starred}
      <TagFilter {...props} />
      {others}
    </div>
  );
}

const TagMenu = lazyPart(async () => (await import("./tag-menu.tsx")).TagMenu);

/** Filter that opens a menu of all tags of the server. */
function TagFilter(props: FilterProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const ref = useRef<HTMLButtonElement>(null);
  // The menu is rendered beside its button instead of at the end of the page, so that it is within a landmark.
  const containerRef = useRef<HTMLDivElement>(null);
  return (
    <div ref={containerRef}>
      <button
        ref={ref}
        type="button"
        className={styles.filter}
        data-active={hasTagTerm(props.query)}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Tag size={13} aria-hidden />
        {strings.filters.tags}
        <ChevronDown size={12} aria-hidden />
      </button>
      {isOpen && <TagMenu {...props} anchorRef={ref} containerRef={containerRef} onClose={() => setOpen(false)} />}
    </div>
  );
}
