import type { ReactElement } from "react";
import { strings } from "../strings.ts";

/** What went wrong, and a way to try again where there is one. */
export function ErrorNotice(props: { readonly error: Error; readonly onRetry?: () => void }): ReactElement {
  const { error, onRetry } = props;
  return (
    <div className="notice bad-notice" role="alert">
      <span>{strings.failed(error.message)}</span>
      {onRetry !== undefined && (
        <button type="button" className="button" onClick={onRetry}>
          {strings.retry}
        </button>
      )}
    </div>
  );
}
