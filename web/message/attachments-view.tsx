import { Download, Eye, EyeOff, File, FileImage, FileText } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useFileStart } from "../api/messages.ts";
import { formatBytes } from "../shared/format.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { Attachment, Message } from "../wire.ts";
import { saveFile } from "./save-file.ts";
import { SignedImage } from "./signed-image.tsx";

/** How an attachment can be shown here: as an image, as text, or not at all. Nothing is ever unpacked. */
type Preview = "image" | "text" | null;

const icons = { image: FileImage, text: FileText, none: File };
const textBytesMax = 64 * 1024;
/** Images up to this size are shown at once. */
const shownBytesMax = 512 * 1024;

/** All attachments; small images are shown at once, everything else when that is asked for. */
export function AttachmentsView({ message }: { readonly message: Message }): ReactElement {
  return (
    <ul className="stack tight">
      {message.attachments.map((attachment) => (
        <AttachmentItem key={attachment.id} attachment={attachment} />
      ))}
    </ul>
  );
}

function AttachmentItem({ attachment }: { readonly attachment: Attachment }): ReactElement {
  const { id, fileName, contentType, contentId, length } = attachment;
  const preview = previewOf(contentType);
  const [isShown, setShown] = useState(preview === "image" && length <= shownBytesMax);
  const Icon = icons[preview ?? "none"];
  const Toggle = isShown ? EyeOff : Eye;
  return (
    <li className="attachment">
      <div className="row">
        <Icon size={18} className="faint" aria-hidden />
        <div className="clip">
          <div className="clip">{fileName || contentType}</div>
          <div className="faint small clip">
            {[contentType, formatBytes(length), contentId === null ? "" : strings.attachments.inline(contentId)]
              .filter((text) => text !== "")
              .join(" · ")}
          </div>
        </div>
      </div>
      <div className="row">
        {preview !== null && (
          <button
            type="button"
            className="button"
            aria-expanded={isShown}
            onClick={() => {
              setShown(!isShown);
            }}
          >
            <Toggle size={14} aria-hidden />
            {isShown ? strings.attachments.hide : strings.attachments.show}
          </button>
        )}
        <button
          type="button"
          className="button"
          onClick={() => {
            void saveFile(`/api/files/attachments/${id}`, fileName);
          }}
        >
          <Download size={14} aria-hidden />
          {strings.attachments.download}
        </button>
      </div>
      {isShown && preview === "image" && <ImagePreview id={id} name={fileName} />}
      {isShown && preview === "text" && <TextPreview id={id} name={fileName} />}
    </li>
  );
}

function ImagePreview({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p className="preview faint">{strings.attachments.noPreview}</p>;
  return (
    <div className="preview">
      <SignedImage
        url={`/web/images/${id}`}
        alt={name}
        onError={() => {
          setBroken(true);
        }}
      />
    </div>
  );
}

function TextPreview({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const { data, error } = useFileStart(`/api/files/attachments/${id}`, textBytesMax);
  if (error !== null) return <ErrorNotice error={error} />;
  return (
    <div className="preview stack tight">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard */}
      <pre tabIndex={0} aria-label={name}>
        {data?.text ?? strings.loading}
      </pre>
      {data?.isWhole === false && <p className="faint small">{strings.attachments.cut}</p>}
    </div>
  );
}

/** What is neither shows as a download only: PDF, SVG and HTML among them. Text is shown as text, whatever it means. */
function previewOf(contentType: string): Preview {
  if (/^image\/(?:png|gif|jpe?g|webp)\b/i.test(contentType)) return "image";
  return /^(?:text\/|message\/|application\/(?:json|xml)\b)/i.test(contentType) ? "text" : null;
}
