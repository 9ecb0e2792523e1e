import { clsx } from "clsx";
import type { ReactElement } from "react";
import { strings } from "../strings.ts";
import { Button } from "./button.tsx";
import styles from "./error-notice.module.css";

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
