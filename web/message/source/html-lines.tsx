import { parser as cssParser } from "@lezer/css";
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import { configureNesting, parser as htmlParser } from "@lezer/html";
import { startTransition, useEffect, useMemo, useState, type ReactElement } from "react";
import { pageStrings } from "../../page-strings.ts";
import { SourceLines, type SourceToken } from "./source-lines.tsx";

/** Characters that are highlighted; longer HTML is shown without. Gmail clips mail beyond 104,448 bytes. */
const highlightedLengthMax = 128 * 1024;

/** Lines of the decoded HTML of an email, highlighted as soon as it is parsed. */
export function HtmlLines({ html }: { readonly html: string }): ReactElement {
  return <SourceLines label={pageStrings.source.htmlLabel} lines={useLines(html)} />;
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
      startTransition(() => setHighlighted(lines));
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

const parser = htmlParser.configure({
  wrap: configureNesting(
    [{ tag: "style", parser: cssParser }],
    [{ name: "style", parser: cssParser.configure({ top: "Styles" }) }],
  ),
});

const kinds = tagHighlighter([
  { tag: [tags.tagName, tags.angleBracket], class: "tag" },
  { tag: [tags.attributeName, tags.propertyName, tags.className], class: "attribute" },
  { tag: [tags.attributeValue, tags.string, tags.character, tags.color, tags.number], class: "boundary" },
  { tag: [tags.comment, tags.documentMeta, tags.processingInstruction], class: "encoded" },
]);

/** Time after which parsing gives way to other work of the page. */
const sliceMs = 8;

/** Returns the tokens of each line of HTML. Parses in slices, so that the page stays responsive; rejects when `signal` aborts. */
export async function highlightHtml(html: string, signal: AbortSignal): Promise<readonly (readonly SourceToken[])[]> {
  const text = html.replaceAll(/\r\n?/g, "\n");
  const parse = parser.startParse(text);
  let sliceEndsAt = performance.now() + sliceMs;
  for (;;) {
    const tree = parse.advance();
    if (tree !== null) return linesOf(text, tree);
    if (performance.now() < sliceEndsAt) continue;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    sliceEndsAt = performance.now() + sliceMs;
  }
}

function linesOf(text: string, tree: Parameters<typeof highlightCode>[1]): readonly (readonly SourceToken[])[] {
  let line: SourceToken[] = [];
  const lines = [line];
  const add = (token: string, classes: string): void => {
    line.push({ kind: kindOf(classes), text: token });
  };
  highlightCode(text, tree, kinds, add, () => {
    line = [];
    lines.push(line);
  });
  return lines;
}

function kindOf(classes: string): SourceToken["kind"] {
  for (const kind of ["tag", "attribute", "boundary", "encoded"] as const) if (classes.includes(kind)) return kind;
  return "plain";
}
