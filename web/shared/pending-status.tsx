import { clsx } from "clsx";
import type { ReactElement } from "react";
import layout from "./layout.module.css";
import styles from "./pending-status.module.css";

/** A text with a pulsing dot, for something that will complete by itself. */
export function PendingStatus(props: { readonly text: string; readonly isSmall?: boolean }): ReactElement {
  return (
    <p className={clsx(styles.status, props.isSmall === true && layout.small)} role="status">
      {props.text}
    </p>
  );
}
