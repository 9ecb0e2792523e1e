import { useMemo, type ReactElement } from "react";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";
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
      {text.length > shownLengthMax && <p className={layout.faint}>{pageStrings.attachments.cut}</p>}
    </>
  );
}

/** Links of a plain text, made clickable. */

/** A part of a text; `href` is null where it is not a link. */
interface TextPart {
  readonly text: string;
  readonly href: string | null;
}

/** Schemes that are safe to open; others, such as `javascript:`, are shown as text. */
const safeScheme = /^(?:https?:\/\/|mailto:)/i;
const bareHost = /^www\./i;

/**
 * Splits a text at its links, which are given in order as they are written in it. Links with other schemes than http, https and
 * mailto stay text. The texts of the parts together are the text. Takes linear time.
 */
export function linkText(text: string, links: readonly { readonly href: string }[]): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { href: written } of links) {
    const href = targetOf(written);
    if (href === null) continue;
    const start = text.indexOf(written, end);
    if (start === -1) break;
    if (start > end) parts.push({ text: text.slice(end, start), href: null });
    end = start + written.length;
    parts.push({ text: written, href });
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}

function targetOf(written: string): string | null {
  if (safeScheme.test(written)) return written;
  return bareHost.test(written) ? `https://${written}` : null;
}
