import { clsx } from "clsx";
import { Fragment, type ReactElement } from "react";
import { useActiveFaults } from "../api/faults.ts";
import { Link } from "../navigation/location.tsx";
import badgeStyles from "../shared/badge.module.css";
import { strings } from "../strings.ts";
import styles from "./view-links.module.css";
import type { View } from "./views.ts";

/** Links to pages with visible labels: a row in the bar, a column with headings in the rail and in the menu of small screens. */
export function ViewLinks(props: {
  readonly label: string;
  readonly views: readonly View[];
  readonly isColumn?: boolean;
  readonly onSelect?: () => void;
}): ReactElement {
  const { label, views, isColumn = false, onSelect } = props;
  const listed = views.filter(({ isUnlisted }) => isUnlisted !== true);
  return (
    <nav className={isColumn ? styles.column : styles.row} aria-label={label}>
      {listed.map(({ name, icon: Icon, href, isCurrent, faultsOf, heading }) => (
        <Fragment key={href}>
          {isColumn && heading !== undefined && <p>{heading}</p>}
          <Link className={styles.view} href={href} aria-current={isCurrent ? "page" : undefined} onClick={onSelect}>
            <Icon size={15} aria-hidden />
            {name}
            {faultsOf !== undefined && <FaultCount server={faultsOf} />}
          </Link>
        </Fragment>
      ))}
    </nav>
  );
}

/** Number of active fault rules; nothing for none. */
function FaultCount({ server }: { readonly server: string }): ReactElement | null {
  const { length } = useActiveFaults(server);
  if (length === 0) return null;
  return (
    <span className={clsx(badgeStyles.badge, badgeStyles.warn)} title={strings.shell.activeFaults}>
      {length}
    </span>
  );
}
