import { clsx } from "clsx";
import { Calendar, Download, Eye, EyeOff, File, FileArchive, FileImage, FileText } from "lucide-react";
import { Suspense, useState, type ReactElement } from "react";
import { useFileStart } from "../../api/messages.ts";
import { Button } from "../../shared/button.tsx";
import { ErrorNotice } from "../../shared/notice.tsx";
import { formatBytes } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import { lazyComponent } from "../../shared/lazy-component.ts";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import type { Attachment, Message } from "../../wire.ts";
import styles from "./attachments-view.module.css";
import { isInline } from "../message-tabs.ts";
import { saveFile, SignedImage } from "../files.tsx";

const CalendarPreview = lazyComponent(async () => (await import("./calendar-preview.tsx")).CalendarPreview);
const PdfPreview = lazyComponent(async () => (await import("./pdf-preview.tsx")).PdfPreview);

const icons = { image: FileImage, text: FileText, pdf: FileText, calendar: Calendar, none: File };
const textBytesMax = 64 * 1024;
/** Images and calendars up to this size are shown without a click. */
const shownBytesMax = 512 * 1024;

/** Attachments of a message; small images and calendars are shown at once, other previews on request. */
export function AttachmentsView({ message }: { readonly message: Message }): ReactElement {
  const { id, attachments } = message;
  const inline = attachments.filter((attachment) => isInline(message, attachment)).length;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      {attachments.length > 1 && (
        <div className={clsx(layout.row, layout.wrap)}>
          <Button onClick={() => void saveFile(`/api/messages/${id}/attachments`, `attachments-${id}.zip`)}>
            <FileArchive size={14} aria-hidden />
            {pageStrings.attachments.downloadAll}
          </Button>
          <span className={layout.soft}>{pageStrings.attachments.count(attachments.length - inline, inline)}</span>
        </div>
      )}
      <ul className={clsx(layout.stack, layout.tight)}>
        {attachments.map((attachment) => (
          <AttachmentItem key={attachment.id} attachment={attachment} />
        ))}
      </ul>
    </div>
  );
}

function AttachmentItem({ attachment }: { readonly attachment: Attachment }): ReactElement {
  const { id, fileName, contentType, contentId, length } = attachment;
  const preview = previewKind(attachment);
  const isShownAtOnce = (preview === "image" || preview === "calendar") && length <= shownBytesMax;
  const [isShown, setShown] = useState(isShownAtOnce);
  const Icon = icons[preview ?? "none"];
  const Toggle = isShown ? EyeOff : Eye;
  return (
    <li className={styles.attachment}>
      <div className={layout.row}>
        <Icon size={18} className={layout.faint} aria-hidden />
        <div className={layout.clip}>
          <div className={layout.clip}>{fileName || contentType}</div>
          <div className={clsx(layout.faint, layout.small, layout.clip)}>
            {[contentType, formatBytes(length), contentId === null ? "" : pageStrings.attachments.inline(contentId)]
              .filter((text) => text !== "")
              .join(" · ")}
          </div>
        </div>
      </div>
      <div className={layout.row}>
        {preview !== null && (
          <Button aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            <Toggle size={14} aria-hidden />
            {isShown ? pageStrings.attachments.hide : pageStrings.attachments.show}
          </Button>
        )}
        <Button onClick={() => void saveFile(`/api/files/attachments/${id}`, fileName)}>
          <Download size={14} aria-hidden />
          {pageStrings.attachments.download}
        </Button>
      </div>
      {isShown && preview !== null && <Preview kind={preview} id={id} name={fileName || contentType} />}
    </li>
  );
}

interface PreviewProps {
  readonly id: string;
  readonly name: string;
}

function Preview({ kind, ...file }: PreviewProps & { readonly kind: PreviewKind }): ReactElement {
  const View = views[kind];
  return (
    <Suspense fallback={<p className={clsx(styles.preview, layout.faint)}>{strings.loading}</p>}>
      <View {...file} />
    </Suspense>
  );
}

const views: Readonly<Record<PreviewKind, (props: PreviewProps) => ReactElement>> = {
  image: (file) => <ImagePreview {...file} />,
  text: (file) => <TextPreview {...file} />,
  pdf: (file) => <PdfPreview {...file} />,
  calendar: (file) => <CalendarPreview {...file} />,
};

function ImagePreview({ id, name }: PreviewProps): ReactElement {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p className={clsx(styles.preview, layout.faint)}>{pageStrings.attachments.noPreview}</p>;
  return (
    <div className={styles.preview}>
      <SignedImage url={`/web/images/${id}`} alt={name} onError={() => setBroken(true)} />
    </div>
  );
}

function TextPreview({ id, name }: PreviewProps): ReactElement {
  const { data, error } = useFileStart(`/api/files/attachments/${id}`, textBytesMax);
  if (error !== null) return <ErrorNotice error={error} />;
  return (
    <div className={clsx(styles.preview, layout.stack, layout.tight)}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard */}
      <pre tabIndex={0} aria-label={name}>
        {data?.text ?? strings.loading}
      </pre>
      {data?.isComplete === false && <p className={clsx(layout.faint, layout.small)}>{pageStrings.attachments.cut}</p>}
    </div>
  );
}

/** Kind of preview of an attachment; archives are never opened. */
type PreviewKind = "image" | "text" | "pdf" | "calendar";

/** Largest file that is read as a PDF. */
const pdfBytesMax = 8 * 1000 * 1000;

const types: readonly (readonly [type: RegExp, kind: PreviewKind])[] = [
  [/^image\/(?:png|gif|jpe?g|webp)\b/i, "image"],
  [/^application\/(?:x-)?pdf\b/i, "pdf"],
  [/^(?:text\/calendar|application\/ics)\b/i, "calendar"],
  [/^(?:text\/|message\/|application\/(?:json|xml|csv|[\w.-]{1,60}\+(?:json|xml))\b)/i, "text"],
];
/** Kinds by the end of the name, for files that were sent without a type. */
const ends: readonly (readonly [end: RegExp, kind: PreviewKind])[] = [
  [/\.pdf$/i, "pdf"],
  [/\.ics$/i, "calendar"],
  [/\.(?:txt|csv|json|xml|eml|log|md|ya?ml)$/i, "text"],
];

/**
 * Returns how an attachment is previewed; null for one that is only downloaded, such as SVG, archives and large PDF files.
 * HTML is shown as text.
 */
export function previewKind({ contentType, fileName, length }: Attachment): PreviewKind | null {
  if (/^image\/svg/i.test(contentType)) return null;
  const isUntyped = /^application\/octet-stream\b/i.test(contentType);
  const found = isUntyped
    ? ends.find(([end]) => end.test(fileName))?.[1]
    : types.find(([type]) => type.test(contentType))?.[1];
  return found === undefined || (found === "pdf" && length > pdfBytesMax) ? null : found;
}
