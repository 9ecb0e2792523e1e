import type { ReactElement } from "react";
import { useMessageTrace } from "../api/messages.ts";
import { formatBytes } from "../shared/format.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { Part } from "../wire.ts";

/** How the mail is built (RFC 2045 §2.4). */
export function StructureView({ id }: { readonly id: string }): ReactElement {
  const { data, error } = useMessageTrace(id);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className="faint">{strings.loading}</p>;
  return (
    <ul className="tree" aria-label={strings.structure.label}>
      {data.root !== null && <PartItem part={data.root} />}
    </ul>
  );
}

/** As deep as the service opens multiparts. */
function PartItem({ part }: { readonly part: Part }): ReactElement {
  const { mediaType, fileName, contentId, charset, transferEncoding, disposition, sizeBytes, children } = part;
  const notes = [charset, strings.structure.encoding[transferEncoding] ?? transferEncoding, disposition];
  return (
    <li>
      <div className="part">
        <b className="mono">{mediaType}</b>
        {fileName !== null && <span>{fileName}</span>}
        {contentId !== null && <span className="mono faint">{strings.attachments.inline(contentId)}</span>}
        <span className="faint">{notes.filter((note) => note !== null).join(" · ")}</span>
        <span className="faint">{formatBytes(sizeBytes)}</span>
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- parts have no other name than their place
            <PartItem key={at} part={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
