import { clsx } from "clsx";
import { useMemo, type ReactElement } from "react";
import { useFileStart } from "../api/messages.ts";
import badgeStyles from "../shared/badge.module.css";
import { CopyButton } from "../shared/copy.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import { highlightSource, type SourceToken } from "./highlight-source.ts";
import styles from "./source-view.module.css";

const shownBytesMax = 512 * 1024;
/** Lines per block; the browser skips the layout of blocks out of view. */
const blockLines = 60;

/** Source of a message as received, decoded as UTF-8, with highlighting. */
export function SourceView({ id }: { readonly id: string }): ReactElement {
  const { data, error } = useFileStart(`/api/files/email/${id}`, shownBytesMax);
  const blocks = useMemo(() => blocksOf(highlightSource(data?.text ?? "")), [data]);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className={layout.faint}>{strings.loading}</p>;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <div className={layout.row}>
        {!data.isComplete && <span className={clsx(badgeStyles.badge, badgeStyles.warn)}>{strings.source.cut}</span>}
        <span className={layout.push} />
        <CopyButton text={data.text} name={strings.source.label} />
      </div>
      <pre className={styles.source} aria-label={strings.source.label}>
        {blocks.map((lines, block) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no identity but their number
          <div key={block}>
            {lines.map((tokens, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- as above
              <Line key={at} number={block * blockLines + at + 1} tokens={tokens} />
            ))}
          </div>
        ))}
      </pre>
    </div>
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
