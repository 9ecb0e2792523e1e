import { useMemo, type ReactElement } from "react";
import layout from "../../shared/layout.module.css";
import { strings } from "../../strings.ts";
import type { Message } from "../../wire.ts";
import { linkText } from "./link-text.ts";
import styles from "../message-pane.module.css";

/** Characters that are shown; the source has all of them. */
const shownLengthMax = 1_000_000;

/** Plain text of a message, in a monospaced font, with its links clickable. */
export function TextView({ message }: { readonly message: Message }): ReactElement {
  const { body, links } = message.text;
  const text = body ?? "";
  const parts = useMemo(() => linkText(text.slice(0, shownLengthMax), links), [text, links]);
  return (
    <>
      <div className={styles.plain}>
        {parts.map(({ text: written, href }, at) =>
          href === null ? (
            written
          ) : (
            // oxlint-disable-next-line react/no-array-index-key -- parts have no identity but their position
            <a key={at} href={href} target="_blank" rel="noopener noreferrer">
              {written}
            </a>
          ),
        )}
      </div>
      {text.length > shownLengthMax && <p className={layout.faint}>{strings.attachments.cut}</p>}
    </>
  );
}
