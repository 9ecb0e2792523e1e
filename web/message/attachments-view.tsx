import { clsx } from "clsx";
import { Download, Eye, EyeOff, File, FileImage, FileText } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useFileStart } from "../api/messages.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { formatBytes } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import type { Attachment, Message } from "../wire.ts";
import styles from "./attachments-view.module.css";
import { saveFile } from "./save-file.ts";
import { SignedImage } from "./signed-image.tsx";

/** Kind of preview of an attachment; archives are never opened. */
type Preview = "image" | "text" | null;

const icons = { image: FileImage, text: FileText, none: File };
const textBytesMax = 64 * 1024;
/** Images up to this size are shown without a click. */
const shownBytesMax = 512 * 1024;

/** Attachments of a message; small images are shown at once, other previews on request. */
export function AttachmentsView({ message }: { readonly message: Message }): ReactElement {
  return (
    <ul className={clsx(layout.stack, layout.tight)}>
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
    <li className={styles.attachment}>
      <div className={layout.row}>
        <Icon size={18} className={layout.faint} aria-hidden />
        <div className={layout.clip}>
          <div className={layout.clip}>{fileName || contentType}</div>
          <div className={clsx(layout.faint, layout.small, layout.clip)}>
            {[contentType, formatBytes(length), contentId === null ? "" : strings.attachments.inline(contentId)]
              .filter((text) => text !== "")
              .join(" · ")}
          </div>
        </div>
      </div>
      <div className={layout.row}>
        {preview !== null && (
          <Button
            aria-expanded={isShown}
            onClick={() => {
              setShown(!isShown);
            }}
          >
            <Toggle size={14} aria-hidden />
            {isShown ? strings.attachments.hide : strings.attachments.show}
          </Button>
        )}
        <Button
          onClick={() => {
            void saveFile(`/api/files/attachments/${id}`, fileName);
          }}
        >
          <Download size={14} aria-hidden />
          {strings.attachments.download}
        </Button>
      </div>
      {isShown && preview === "image" && <ImagePreview id={id} name={fileName} />}
      {isShown && preview === "text" && <TextPreview id={id} name={fileName} />}
    </li>
  );
}

function ImagePreview({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p className={clsx(styles.preview, layout.faint)}>{strings.attachments.noPreview}</p>;
  return (
    <div className={styles.preview}>
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
    <div className={clsx(styles.preview, layout.stack, layout.tight)}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <pre tabIndex={0} aria-label={name}>
        {data?.text ?? strings.loading}
      </pre>
      {data?.isComplete === false && <p className={clsx(layout.faint, layout.small)}>{strings.attachments.cut}</p>}
    </div>
  );
}

/** Returns how a content type is previewed. SVG, PDF and others are download only; HTML is shown as plain text. */
function previewOf(contentType: string): Preview {
  if (/^image\/(?:png|gif|jpe?g|webp)\b/i.test(contentType)) return "image";
  return /^(?:text\/|message\/|application\/(?:json|xml)\b)/i.test(contentType) ? "text" : null;
}
