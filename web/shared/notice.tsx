import { clsx } from "clsx";
import type { ReactElement } from "react";
import { strings } from "../strings.ts";
import { Button } from "./button.tsx";
import styles from "./error-notice.module.css";
import layout from "./layout.module.css";
import pendingStatusStyles from "./pending-status.module.css";

/** Notice of an error, with a button to retry if `onRetry` is given. */
export function ErrorNotice(props: { readonly error: Error; readonly onRetry?: () => void }): ReactElement {
  const { error, onRetry } = props;
  return (
    <div className={clsx(styles.notice, styles.error)} role="alert">
      <span>{error.message}</span>
      {onRetry !== undefined && <Button onClick={onRetry}>{strings.retry}</Button>}
    </div>
  );
}

/** A text with a pulsing dot, for something that will complete by itself. */
export function PendingStatus(props: { readonly text: string; readonly isSmall?: boolean }): ReactElement {
  return (
    <p className={clsx(pendingStatusStyles.status, props.isSmall === true && layout.small)} role="status">
      {props.text}
    </p>
  );
}
