import type { ReactElement, ReactNode } from "react";
import styles from "./read-only.module.css";

/** Forms that can be changed or, with `isReadOnly`, only read: their fields are disabled, and their buttons hidden. */
export function ReadOnly(props: { readonly isReadOnly: boolean; readonly children: ReactNode }): ReactElement {
  return (
    <fieldset className={styles.forms} disabled={props.isReadOnly}>
      {props.children}
    </fieldset>
  );
}
