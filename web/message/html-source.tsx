import { clsx } from "clsx";
import { startTransition, useEffect, useMemo, useState, type ReactElement } from "react";
import badgeStyles from "../shared/badge.module.css";
import { CopyButton } from "../shared/copy.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import { highlightHtml } from "./highlight-html.ts";
import type { SourceToken } from "./highlight-source.ts";
import { SourceLines } from "./source-lines.tsx";

/** Characters that are highlighted; longer HTML is shown without. Gmail clips mail beyond 104,448 bytes. */
const highlightedLengthMax = 128 * 1024;
const shownLengthMax = 512 * 1024;

/** Decoded HTML of an email, highlighted as soon as it is parsed. */
export function HtmlSource(props: { readonly html: string; readonly children: ReactElement | false }): ReactElement {
  const { html, children } = props;
  const lines = useLines(html);
  const labels = strings.source;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <div className={layout.row}>
        {children}
        {html.length > shownLengthMax && (
          <span className={clsx(badgeStyles.badge, badgeStyles.warn)}>{labels.cut}</span>
        )}
        <span className={layout.push} />
        <CopyButton text={html} name={labels.htmlLabel} />
      </div>
      <SourceLines label={labels.htmlLabel} lines={lines} />
    </div>
  );
}

/** Returns the lines of HTML: plain at first, then highlighted. */
function useLines(html: string): readonly (readonly SourceToken[])[] {
  const plain = useMemo(() => plainLines(html.slice(0, shownLengthMax)), [html]);
  const [highlighted, setHighlighted] = useState<readonly (readonly SourceToken[])[] | null>(null);
  useEffect(() => {
    if (html.length > highlightedLengthMax) return undefined;
    const ended = new AbortController();
    const highlight = async (): Promise<void> => {
      const lines = await highlightHtml(html, ended.signal);
      startTransition(() => {
        setHighlighted(lines);
      });
    };
    highlight().catch((error: unknown) => {
      if (!ended.signal.aborted) reportError(error);
    });
    return () => {
      ended.abort();
      setHighlighted(null);
    };
  }, [html]);
  return highlighted ?? plain;
}

function plainLines(html: string): readonly (readonly SourceToken[])[] {
  return html.split(/\r\n|\n|\r/).map((text) => [{ kind: "plain", text }]);
}
