import { clsx } from "clsx";
import { Suspense, useMemo, useState, type ReactElement } from "react";
import { useFileStart } from "../api/messages.ts";
import badgeStyles from "../shared/badge.module.css";
import { CopyButton } from "../shared/copy.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Segments } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { lazyComponent } from "../shared/lazy-component.ts";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import { highlightSource } from "./highlight-source.ts";
import { SourceLines } from "./source-lines.tsx";

const HtmlSource = lazyComponent(async () => (await import("./html-source.tsx")).HtmlSource);

const shownBytesMax = 512 * 1024;

/** Source of a message: as received, or its decoded HTML. */
export function SourceView({ message }: { readonly message: Message }): ReactElement {
  const [form, setForm] = useState<"raw" | "html">("raw");
  const { body } = message.html;
  const labels = strings.source;
  const choice = body !== null && (
    <Segments
      label={labels.form}
      value={form}
      options={[
        ["raw", labels.raw],
        ["html", labels.html],
      ]}
      onChange={setForm}
    />
  );
  if (form === "raw" || body === null) return <RawSource id={message.id}>{choice}</RawSource>;
  return (
    <Suspense fallback={choice}>
      <HtmlSource html={body}>{choice}</HtmlSource>
    </Suspense>
  );
}

/** Source of a message as received, decoded as UTF-8, with highlighting. */
function RawSource({ id, children }: { readonly id: string; readonly children: ReactElement | false }): ReactElement {
  const { data, error } = useFileStart(`/api/files/email/${id}`, shownBytesMax);
  const lines = useMemo(() => highlightSource(data?.text ?? ""), [data]);
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <div className={layout.row}>
        {children}
        {data?.isComplete === false && (
          <span className={clsx(badgeStyles.badge, badgeStyles.warn)}>{strings.source.cut}</span>
        )}
        <span className={layout.push} />
        {data !== undefined && <CopyButton text={data.text} name={strings.source.label} />}
      </div>
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <p className={layout.faint}>{strings.loading}</p>}
      {data !== undefined && <SourceLines label={strings.source.label} lines={lines} />}
    </div>
  );
}
