import { startTransition, useEffect, useMemo, useState, type ReactElement } from "react";
import { strings } from "../../strings.ts";
import { highlightHtml } from "./highlight-html.ts";
import type { SourceToken } from "./highlight-source.ts";
import { SourceLines } from "./source-lines.tsx";

/** Characters that are highlighted; longer HTML is shown without. Gmail clips mail beyond 104,448 bytes. */
const highlightedLengthMax = 128 * 1024;

/** Lines of the decoded HTML of an email, highlighted as soon as it is parsed. */
export function HtmlLines({ html }: { readonly html: string }): ReactElement {
  return <SourceLines label={strings.source.htmlLabel} lines={useLines(html)} />;
}

/** Returns the lines of HTML: plain at first, then highlighted. */
function useLines(html: string): readonly (readonly SourceToken[])[] {
  const plain = useMemo(() => plainLines(html), [html]);
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
