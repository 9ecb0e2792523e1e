import type { ReactElement } from "react";
import { CopyButton } from "./copy.tsx";

/** Lines to be copied into a file of that name. */
export function CodeBox({ file, code }: { readonly file: string; readonly code: string }): ReactElement {
  return (
    <div className="snippet">
      <div className="snippet-head">
        <span className="mono">{file}</span>
        <CopyButton text={code} name={file} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard */}
      <pre tabIndex={0} aria-label={file}>
        {code}
      </pre>
    </div>
  );
}
