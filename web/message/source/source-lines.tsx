import type { ReactElement } from "react";
import type { SourceToken } from "./highlight-source.ts";
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
