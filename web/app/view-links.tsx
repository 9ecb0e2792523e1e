import type { ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import styles from "./view-links.module.css";
import type { View } from "./views.ts";

/** Links to pages with visible labels: a row in the bar, a column in the menu of small screens. */
export function ViewLinks(props: {
  readonly label: string;
  readonly views: readonly View[];
  readonly isColumn?: boolean;
  readonly onSelect?: () => void;
}): ReactElement {
  const { label, views, isColumn = false, onSelect } = props;
  return (
    <nav className={isColumn ? styles.column : styles.row} aria-label={label}>
      {views.map(({ name, icon: Icon, href, isCurrent }) => (
        <Link
          key={href}
          className={styles.view}
          href={href}
          aria-current={isCurrent ? "page" : undefined}
          onClick={onSelect}
        >
          <Icon size={15} aria-hidden />
          {name}
        </Link>
      ))}
    </nav>
  );
}
