import type { ReactElement, ReactNode } from "react";
import styles from "./table.module.css";

/** A table that scrolls sideways when it is wider than its panel. An empty head is that of a column of buttons. */
export function Table(props: {
  readonly label?: string;
  readonly heads: readonly string[];
  /** Rows. */
  readonly children: ReactNode;
}): ReactElement {
  const { label, heads, children } = props;
  return (
    <div className={styles.wideContent}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {heads.map((head) =>
              head === "" ? (
                <th key={head} aria-hidden />
              ) : (
                <th key={head} scope="col">
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
