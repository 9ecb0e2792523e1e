import { useMemo, type ReactElement } from "react";
import { useFileStart } from "../api/messages.ts";
import { CopyButton } from "../shared/copy.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import { highlightSource, type SourceToken } from "./highlight-source.ts";

const shownBytesMax = 512 * 1024;
/** Lines that the browser lays out together; blocks out of sight cost nothing. */
const blockLines = 60;

/** The mail as it came, to the byte as far as it is UTF-8. */
export function SourceView({ id }: { readonly id: string }): ReactElement {
  const { data, error } = useFileStart(`/api/files/email/${id}`, shownBytesMax);
  const blocks = useMemo(() => blocksOf(highlightSource(data?.text ?? "")), [data]);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className="faint">{strings.loading}</p>;
  return (
    <div className="stack tight">
      <div className="row">
        {!data.isWhole && <span className="badge warn">{strings.source.cut}</span>}
        <span className="push" />
        <CopyButton text={data.text} name={strings.source.label} />
      </div>
      <pre className="source" aria-label={strings.source.label}>
        {blocks.map((lines, block) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no other name than their number
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
    <span className="line" data-number={number}>
      {tokens.map(({ kind, text }, at) =>
        // oxlint-disable-next-line react/no-array-index-key -- tokens have no other name than their place
        kind === "plain" ? (
          text
        ) : (
          <span key={at} className={kind}>
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
