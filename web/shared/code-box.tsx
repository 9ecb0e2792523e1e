import type { ReactElement } from "react";
import styles from "./code-box.module.css";
import { CopyButton } from "./copy.tsx";
import layout from "./layout.module.css";

/** Code with its file name and a copy button. */
export function CodeBox({ file, code }: { readonly file: string; readonly code: string }): ReactElement {
  return (
    <div className={styles.box}>
      <div className={styles.head}>
        <span className={layout.mono}>{file}</span>
        <CopyButton text={code} name={file} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <pre tabIndex={0} aria-label={file}>
        {code}
      </pre>
    </div>
  );
}
