import type { ReactElement } from "react";
import styles from "./source-view.module.css";

/** Lines per block; the browser skips the layout of blocks out of view. */
const blockLines = 60;

/** Lines of a source with their numbers. */
export function SourceLines(props: {
  readonly label: string;
  readonly lines: readonly (readonly SourceToken[])[];
}): ReactElement {
  const { label, lines } = props;
  return (
    <pre className={styles.source} aria-label={label}>
      {blocksOf(lines).map((block, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no identity but their number
        <div key={at}>
          {block.map((tokens, line) => (
            // oxlint-disable-next-line react/no-array-index-key -- as above
            <Line key={line} number={at * blockLines + line + 1} tokens={tokens} />
          ))}
        </div>
      ))}
    </pre>
  );
}

function Line({ number, tokens }: { readonly number: number; readonly tokens: readonly SourceToken[] }): ReactElement {
  return (
    <span className={styles.line} data-number={number}>
      {tokens.map(({ kind, text }, at) =>
        // oxlint-disable-next-line react/no-array-index-key -- tokens have no identity but their position
        kind === "plain" ? (
          text
        ) : (
          <span key={at} className={styles[kind]}>
            {text}
          </span>
        ),
      )}
      {"\n"}
    </span>
  );
}

function blocksOf<Item>(lines: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(lines.length / blockLines) }, (_, block) => {
    return lines.slice(block * blockLines, (block + 1) * blockLines);
  });
}

/** A part of a line; `kind` selects its style. */
export interface SourceToken {
  readonly kind: "name" | "attribute" | "boundary" | "tag" | "encoded" | "plain";
  readonly text: string;
}

const fieldName = /^[!-9;-~]{1,100}:/;
const boundaryLine = /^--\S/;
const base64Line = /^[\w+/]{40,}={0,2}$/;
const quotedPrintable = /^content-transfer-encoding:[ \t]*quoted-printable[ \t]*$/i;
const tagOrWord = /(<\/?[a-z][^<>]{0,500}>|=\?[\w-]{1,40}\?[bq]\?[^?\s]{0,500}\?=)/gi;
const tagOrOctets = /(<\/?[a-z][^<>]{0,500}>|=[\dA-F]{2}(?:=[\dA-F]{2})*)/gi;

/**
 * Returns the tokens of each line. A boundary starts a header section, an empty line ends it. Octets such as `=C3` are marked
 * only in text that is encoded as quoted-printable: elsewhere they are part of an address or a boundary.
 */
export function highlightSource(source: string): readonly (readonly SourceToken[])[] {
  let isHeader = true;
  let encoded = tagOrWord;
  return source.split(/\r\n|\n|\r/).map((line) => {
    if (line === "") isHeader = false;
    if (boundaryLine.test(line)) {
      isHeader = !line.endsWith("--");
      encoded = tagOrWord;
      return [{ kind: "boundary", text: line }];
    }
    if (!isHeader) return bodyTokens(line, encoded);
    if (quotedPrintable.test(line)) encoded = tagOrOctets;
    return headerTokens(line);
  });
}

function headerTokens(line: string): readonly SourceToken[] {
  const name = fieldName.exec(line)?.[0];
  if (name === undefined) return splitTokens(line, tagOrWord);
  return [{ kind: "name", text: name }, ...splitTokens(line.slice(name.length), tagOrWord)];
}

function bodyTokens(line: string, encoded: RegExp): readonly SourceToken[] {
  return base64Line.test(line) ? [{ kind: "encoded", text: line }] : splitTokens(line, encoded);
}

function splitTokens(text: string, marked: RegExp): readonly SourceToken[] {
  return text.split(marked).flatMap((part, at): readonly SourceToken[] => {
    if (part === "") return [];
    return [{ kind: at % 2 === 0 ? "plain" : part.startsWith("<") ? "tag" : "encoded", text: part }];
  });
}
