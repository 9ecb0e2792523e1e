import { ChevronDown, Tag } from "lucide-react";
import { Suspense, useRef, useState, type ReactElement } from "react";
import type { MailQuery } from "../navigation/mail-query.ts";
import { lazyComponent } from "../shared/lazy-component.ts";
import { strings } from "../strings.ts";
import { hasTagTerm } from "./filter-terms.ts";
import styles from "./list.module.css";

const TagMenu = lazyComponent(async () => (await import("./tag-menu.tsx")).TagMenu);

/** Filter that opens a menu of all tags of the server. */
export function TagFilter(props: {
  readonly server: string;
  readonly query: MailQuery;
  readonly onSearch: (query: MailQuery) => void;
}): ReactElement {
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
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        <Tag size={13} aria-hidden />
        {strings.filters.tags}
        <ChevronDown size={12} aria-hidden />
      </button>
      {isOpen && (
        <Suspense>
          <TagMenu
            {...props}
            anchorRef={ref}
            containerRef={containerRef}
            onClose={() => {
              setOpen(false);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
