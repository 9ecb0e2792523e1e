import { clsx } from "clsx";
import { ArrowLeft, ChevronDown, Paperclip, TriangleAlert } from "lucide-react";
import { useState, type ReactElement, type ReactNode } from "react";
import { useMessageMarks } from "../api/marks.ts";
import { TagEditor } from "../marks/tag-editor.tsx";
import { useMarkActions } from "../marks/use-mark-actions.ts";
import { Link } from "../navigation/location.tsx";
import { Age } from "../shared/age.tsx";
import badgeStyles from "../shared/badge.module.css";
import { CodeChip } from "../shared/copy.tsx";
import fieldStyles from "../shared/field.module.css";
import { addressOf, formatBytes, formatContact, formatDay, formatInstant } from "../shared/format.ts";
import { IconButton } from "../shared/button.tsx";
import layout from "../shared/layout.module.css";
import { useStoredChoice } from "../shared/stored-text.ts";
import { pageStrings } from "../page-strings.ts";
import type { Contact, Message } from "../wire.ts";
import styles from "./message-pane.module.css";
import { isInline } from "./message-tabs.ts";
import { ProviderRow } from "./provider-row.tsx";

/** Header of an open message: subject, codes, contacts and time. */
export function MessageHead(props: {
  readonly message: Message;
  /** Size as received; undefined while it is not known, 0 for an SMS. */
  readonly sizeBytes: number | undefined;
  readonly deliveryHref: string;
  readonly attachmentsHref: string;
  /** Buttons beside the subject. */
  readonly tools: ReactNode;
  readonly onBack: () => void;
}): ReactElement {
  const { message, sizeBytes, deliveryHref, attachmentsHref, tools, onBack } = props;
  const codes = new Set([...message.html.codes, ...message.text.codes].map((code) => code.value));
  return (
    <header className={styles.messageHead}>
      <div className={styles.messageTitle}>
        <IconButton name={pageStrings.message.back} icon={ArrowLeft} onClick={onBack} />
        <h2>{titleOf(message)}</h2>
        {tools}
      </div>
      {codes.size > 0 && (
        <div className={clsx(layout.row, layout.wrap)} role="group" aria-label={pageStrings.message.codes}>
          {Array.from(codes, (code) => (
            <CodeChip key={code} code={code} isLarge />
          ))}
        </div>
      )}
      <Details message={message} sizeBytes={sizeBytes} deliveryHref={deliveryHref} />
      <AttachmentChips message={message} href={attachmentsHref} />
    </header>
  );
}

/** Attachments that are named in the header; hardly a mail has more. */
const shownAttachmentsMax = 12;

/** Names of the attachments, without images of the HTML, as links to all of them. */
function AttachmentChips(props: { readonly message: Message; readonly href: string }): ReactElement | null {
  const { message, href } = props;
  const files = message.attachments.filter((file) => !isInline(message, file));
  if (files.length === 0) return null;
  const hiddenCount = Math.max(0, files.length - shownAttachmentsMax);
  return (
    <ul className={clsx(layout.row, layout.wrap, styles.chips)} aria-label={pageStrings.message.views.attachments}>
      {files.slice(0, shownAttachmentsMax).map(({ id, fileName, contentType, length }) => (
        <li key={id}>
          <Link className={badgeStyles.badge} data-inline href={href}>
            <Paperclip size={12} aria-hidden />
            <span className={styles.fileName}>{fileName || contentType}</span>
            <span className={layout.faint}>{formatBytes(length)}</span>
          </Link>
        </li>
      ))}
      {hiddenCount > 0 && (
        <li>
          <Link href={href}>{pageStrings.message.moreContacts(hiddenCount)}</Link>
        </li>
      )}
    </ul>
  );
}

interface DetailsProps {
  readonly message: Message;
  readonly sizeBytes: number | undefined;
  readonly deliveryHref: string;
}

/** Contacts, time, size and tags, or a few lines of them. */
function Details(props: DetailsProps): ReactElement {
  const { message, sizeBytes } = props;
  const { details } = pageStrings.message;
  const [isOpen, toggle] = useHeaderDetails();
  return (
    <div className={styles.details} data-open={isOpen}>
      <button
        type="button"
        className={clsx(fieldStyles.segment, styles.summary)}
        aria-expanded={isOpen}
        title={details}
        onClick={toggle}
      >
        <span className={styles.summaryText}>
          {routeOf(message).map((line) => (
            <span key={line}>{line}</span>
          ))}
        </span>
        <span className={layout.visuallyHidden}>{details}</span>
        <ChevronDown size={14} aria-hidden />
      </button>
      {!isOpen && (
        <p className={clsx(layout.row, layout.faint, layout.small, styles.facts)}>
          <time dateTime={message.received} title={formatInstant(message.received)}>
            {formatDay(message.received)}
          </time>
          <Size sizeBytes={sizeBytes} />
        </p>
      )}
      {isOpen && <WholeHeader {...props} />}
    </div>
  );
}

/** All of the header: contacts, time, size, problems and tags. */
function WholeHeader({ message, sizeBytes, deliveryHref }: DetailsProps): ReactElement {
  const { from, to, cc, bcc } = pageStrings.message;
  return (
    <dl className={styles.routes}>
      <Contacts name={from} contacts={message.from} />
      <Contacts name={to} contacts={message.to} />
      <Contacts name={cc} contacts={message.cc} />
      <Contacts name={bcc} contacts={message.bcc} />
      <Contacts name={pageStrings.message.deliveredTo} contacts={otherRecipients(message)} />
      <ReturnPath mailFrom={message.metadata.mailFrom} />
      {message.provider != null && <ProviderRow message={message} provider={message.provider} />}
      <dt>{pageStrings.message.time}</dt>
      <dd className={clsx(layout.row, layout.wrap)}>
        <span>{formatInstant(message.received)}</span>
        <span className={layout.faint}>
          <Age instant={message.received} />
        </span>
        <Size sizeBytes={sizeBytes} />
        {message.defects.length > 0 && (
          <Link className={clsx(badgeStyles.badge, badgeStyles.warn)} data-inline href={deliveryHref}>
            <TriangleAlert size={12} aria-hidden />
            {pageStrings.message.defects(message.defects.length)}
          </Link>
        )}
      </dd>
      <TagsRow message={message} />
    </dl>
  );
}

function ReturnPath({ mailFrom }: { readonly mailFrom: string | null }): ReactElement | null {
  if (mailFrom === null) return null;
  return (
    <>
      <dt>{pageStrings.message.returnPath}</dt>
      <dd>{mailFrom === "" ? pageStrings.delivery.nullSender : mailFrom}</dd>
    </>
  );
}

function Size({ sizeBytes = 0 }: { readonly sizeBytes: number | undefined }): ReactElement | null {
  if (sizeBytes === 0) return null;
  return <span className={layout.faint}>{formatBytes(sizeBytes)}</span>;
}

function TagsRow({ message }: { readonly message: Message }): ReactElement | null {
  const { server, id } = message;
  const { canMark } = useMarkActions(server);
  const marks = useMessageMarks(id);
  if (!canMark && (marks?.tags.length ?? 0) === 0) return null;
  return (
    <>
      <dt>{pageStrings.message.marks.tags}</dt>
      <dd>
        <TagEditor server={server} id={id} />
      </dd>
    </>
  );
}

function titleOf({ type, subject, from }: Message): string {
  if (type === "SMS") return pageStrings.message.smsTitle(from.map(addressOf).join(", "));
  return subject || pageStrings.message.list.noSubject;
}

/** Returns a line with the sender, and one with the first recipient. */
function routeOf({ from, to, cc, bcc }: Message): readonly [sender: string, recipient: string] {
  const recipients = [...to, ...cc, ...bcc].map(formatContact);
  const more = recipients.length > 1 ? ` ${pageStrings.message.list.moreRecipients(recipients.length - 1)}` : "";
  return [from.map(formatContact).join(", "), `→ ${recipients[0] ?? pageStrings.message.list.noRecipient}${more}`];
}

/** Returns the recipients of a sent email that its header does not name, as those of a released one. */
function otherRecipients({ delivery, metadata, to, cc, bcc }: Message): readonly Contact[] {
  if (delivery === undefined) return [];
  const named = new Set([...to, ...cc, ...bcc].map(({ email }) => email?.toLowerCase()));
  return metadata.rcptTo.filter(({ email }) => !named.has(email?.toLowerCase()));
}

/** Contacts of one field that are shown at first. */
const shownContactsMax = 4;

function Contacts(props: { readonly name: string; readonly contacts: readonly Contact[] }): ReactElement | null {
  const { name, contacts } = props;
  const [isWhole, setWhole] = useState(false);
  if (contacts.length === 0) return null;
  const hiddenCount = isWhole ? 0 : Math.max(0, contacts.length - shownContactsMax);
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {contacts
          .slice(0, contacts.length - hiddenCount)
          .map(formatContact)
          .join(", ")}
        {hiddenCount > 0 && (
          <>
            {" "}
            <button type="button" className={fieldStyles.segment} onClick={() => setWhole(true)}>
              {pageStrings.message.moreContacts(hiddenCount)}
            </button>
          </>
        )}
      </dd>
    </>
  );
}

const storageKey = "restante.header";
/** Windows in which the header is a line at first: phones. */
const narrow = "(width < 900px)";

/** Returns whether the details are shown, and a function that shows or hides them here and in messages that are opened later. */
function useHeaderDetails(): readonly [boolean, () => void] {
  const [state, select] = useStoredChoice(
    storageKey,
    matchMedia(narrow).matches ? ["closed", "open"] : ["open", "closed"],
  );
  const isOpen = state === "open";
  return [isOpen, () => select(isOpen ? "closed" : "open")];
}
