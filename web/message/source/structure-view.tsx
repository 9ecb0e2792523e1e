import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useMessageTrace } from "../../api/messages.ts";
import { ErrorNotice } from "../../shared/notice.tsx";
import { formatBytes } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import type { Part } from "../../wire.ts";
import styles from "./structure-view.module.css";

/** MIME structure of an email as a tree (RFC 2045 §2.4). */
export function StructureView({ id }: { readonly id: string }): ReactElement {
  const { data, error } = useMessageTrace(id);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className={layout.faint}>{strings.loading}</p>;
  return (
    <ul className={styles.tree} aria-label={pageStrings.structure.label}>
      {data.root !== null && <PartItem part={data.root} />}
    </ul>
  );
}

/** A part with its children; the service bounds the depth. */
function PartItem({ part }: { readonly part: Part }): ReactElement {
  const { mediaType, fileName, contentId, charset, transferEncoding, disposition, sizeBytes, children } = part;
  const notes = [charset, transferEncoding === "identity" ? null : transferEncoding, disposition];
  return (
    <li>
      <div className={styles.part}>
        <b className={layout.mono}>{mediaType}</b>
        {fileName !== null && <span>{fileName}</span>}
        {contentId !== null && (
          <span className={clsx(layout.mono, layout.faint)}>{pageStrings.attachments.inline(contentId)}</span>
        )}
        <span className={layout.faint}>{notes.filter((note) => note !== null).join(" · ")}</span>
        <span className={layout.faint}>{formatBytes(sizeBytes)}</span>
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- parts have no identity but their position
            <PartItem key={at} part={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
