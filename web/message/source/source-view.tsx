import { clsx } from "clsx";
import { useMemo, useState, type ReactElement } from "react";
import { useFileStart, type FileStart } from "../../api/messages.ts";
import badgeStyles from "../../shared/badge.module.css";
import { CopyButton } from "../../shared/copy.tsx";
import { ErrorNotice } from "../../shared/notice.tsx";
import { Segments } from "../../shared/field.tsx";
import layout from "../../shared/layout.module.css";
import { lazyPart } from "../../shared/lazy-component.ts";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import type { Message } from "../../wire.ts";
import { highlightSource, SourceLines } from "./source-lines.tsx";

const HtmlLines = lazyPart(async () => (await import("./html-lines.tsx")).HtmlLines);

const shownBytesMax = 512 * 1024;
const shownLengthMax = 512 * 1024;

/** Source of a message: as received, decoded as UTF-8, or its decoded HTML; both with highlighting. */
export function SourceView({ message }: { readonly message: Message }): ReactElement {
  const [form, setForm] = useState<"raw" | "html">("raw");
  const file = useFileStart(`/api/files/email/${message.id}`, shownBytesMax);
  const { body } = message.html;
  const html = form === "html" ? body : null;
  const labels = pageStrings.source;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <div className={layout.row}>
        {body !== null && (
          <Segments
            label={labels.form}
            value={form}
            options={[
              ["raw", labels.raw],
              ["html", labels.html],
            ]}
            onChange={setForm}
          />
        )}
        {html === null ? (
          <Tools name={labels.label} start={file.data} />
        ) : (
          <Tools name={labels.htmlLabel} start={{ text: html, isComplete: html.length <= shownLengthMax }} />
        )}
      </div>
      {html === null ? <RawSource file={file} /> : <HtmlLines html={html.slice(0, shownLengthMax)} />}
    </div>
  );
}

/** Whether the source is shown in part, and a button that copies it. */
function Tools({ name, start }: { readonly name: string; readonly start: FileStart | undefined }): ReactElement {
  return (
    <>
      {start?.isComplete === false && (
        <span className={clsx(badgeStyles.badge, badgeStyles.warn)}>{pageStrings.source.cut}</span>
      )}
      <span className={layout.push} />
      {start !== undefined && <CopyButton key={name} text={start.text} name={name} />}
    </>
  );
}

function RawSource({ file }: { readonly file: ReturnType<typeof useFileStart> }): ReactElement {
  const { data, error } = file;
  const lines = useMemo(() => highlightSource(data?.text ?? ""), [data]);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className={layout.faint}>{strings.loading}</p>;
  return <SourceLines label={pageStrings.source.label} lines={lines} />;
}
