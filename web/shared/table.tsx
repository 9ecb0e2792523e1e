import { clsx } from "clsx";
import { Fragment, type ReactElement, type ReactNode } from "react";
import { CopyButton } from "./copy.tsx";
import layout from "./layout.module.css";
import styles from "./table.module.css";

/** A table that scrolls sideways when it is wider than its panel. An empty head is that of a column of buttons. */
export function Table(props: {
  readonly label?: string;
  readonly heads: readonly string[];
  readonly className?: string | undefined;
  /** Rows. */
  readonly children: ReactNode;
}): ReactElement {
  const { label, heads, className, children } = props;
  return (
    <div className={styles.wideContent}>
      <table className={clsx(styles.table, className)} aria-label={label}>
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

/** A name with its value; null for none. */
export type Pair = readonly [name: string, value: string | null];

/** Pairs that have a value, in a list with the class `pairs`. */
export function Pairs(props: {
  readonly pairs: readonly Pair[];
  readonly className?: string | undefined;
}): ReactElement {
  const shown = props.pairs.filter(([, value]) => value !== null);
  return (
    <>
      {shown.map(([name, value], at) => (
        // oxlint-disable-next-line react/no-array-index-key -- names can repeat
        <Fragment key={at}>
          <dt>{name}</dt>
          <dd className={props.className}>{value}</dd>
        </Fragment>
      ))}
    </>
  );
}

/** A name with a value that can be copied, in a list with the class `pairs`. */
export function CopyPair(props: {
  readonly name: string;
  readonly value: string;
  readonly children?: ReactNode;
}): ReactElement {
  const { name, value, children } = props;
  return (
    <>
      <dt>{name}</dt>
      <dd className={clsx(layout.row, layout.wrap)}>
        <code>{value}</code>
        <CopyButton text={value} name={name} />
        {children}
      </dd>
    </>
  );
}
