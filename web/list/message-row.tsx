import { clsx } from "clsx";
import { MessageSquare, Paperclip } from "lucide-react";
import { memo, type MouseEvent, type NamedExoticComponent, type ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import { Age } from "../shared/age.tsx";
import { CodeChip } from "../shared/copy.tsx";
import fieldStyles from "../shared/field.module.css";
import { addressOf, formatBytes } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import type { Contact, MessageExcerpt, Summary } from "../wire.ts";
import styles from "./list.module.css";

/** Position of a row in its list, in pixels. */
export interface RowPosition {
  readonly top: number;
  readonly height: number;
}

/** Props of {@link MessageRow}. Each stays the same while its row does, so that other rows are not rendered again. */
export interface MessageRowProps extends RowPosition {
  readonly message: Summary;
  readonly excerpt: MessageExcerpt | undefined;
  readonly href: string;
  readonly isOpen: boolean;
  readonly isUnread: boolean;
  readonly isChecked: boolean;
  /** Whether the Tab key reaches this row; it reaches one row of the list. */
  readonly isTabStop: boolean;
  /** Position from 1 and length of the list (-1 if unknown), for assistive technology. */
  readonly position: number;
  readonly count: number;
  /** With `isRange`, selects everything from the last toggled message to this one. */
  readonly onCheck: (id: string, isRange: boolean) => void;
}

/** Most codes that a row shows. */
const shownCodesMax = 2;

/** A row of the list: recipient, subject, codes, size and age of a message. */
export const MessageRow: NamedExoticComponent<MessageRowProps> = memo((props: MessageRowProps): ReactElement => {
  const { message, excerpt, href, isOpen, isUnread, isChecked, position, count, top, height, onCheck } = props;
  const tabIndex = props.isTabStop ? 0 : -1;
  const isSms = message.type === "SMS";
  const subject = isSms ? message.summary || strings.list.noText : message.subject || strings.list.noSubject;
  return (
    <li
      className={styles.messageRow}
      style={{ top, height }}
      data-id={message.id}
      data-open={isOpen}
      data-unread={isUnread}
      data-checked={isChecked}
      aria-posinset={position}
      aria-setsize={count}
    >
      <label className={styles.check}>
        <input
          type="checkbox"
          className={fieldStyles.checkbox}
          aria-label={strings.list.select(subject)}
          checked={isChecked}
          onClick={(event: MouseEvent) => {
            onCheck(message.id, event.shiftKey);
          }}
          readOnly
          tabIndex={tabIndex}
        />
      </label>
      <Link
        href={href}
        tabIndex={tabIndex}
        className={layout.clip}
        aria-label={strings.list.row(
          recipientsOf(message).map(addressOf)[0] ?? strings.list.noRecipient,
          subject,
          isUnread,
        )}
        aria-current={isOpen ? "true" : undefined}
      >
        <Recipient message={message} />
      </Link>
      <div className={styles.about} aria-hidden>
        <span className={clsx(styles.subject, layout.clip)}>{subject}</span>
        <span className={clsx(styles.summary, layout.clip)}>
          {isSms ? message.from.map(addressOf).join(", ") : message.summary}
        </span>
      </div>
      <div className={styles.codes}>
        {excerpt?.codes.slice(0, shownCodesMax).map((code) => (
          <CodeChip key={code} code={code} tabIndex={tabIndex} />
        ))}
      </div>
      <RowMeta message={message} excerpt={excerpt} />
    </li>
  );
});

function recipientsOf({ to, cc, bcc }: Summary): readonly Contact[] {
  return [...to, ...cc, ...bcc];
}

function Recipient({ message }: { readonly message: Summary }): ReactElement {
  const [first, ...others] = recipientsOf(message);
  if (first === undefined) return <span className={layout.faint}>{strings.list.noRecipient}</span>;
  const address = addressOf(first);
  const at = address.lastIndexOf("@");
  return (
    <>
      <span>{at < 0 ? address : address.slice(0, at)}</span>
      {at >= 0 && <span className={styles.domain}>{address.slice(at)}</span>}
      {others.length > 0 && <span className={styles.domain}> {strings.list.moreRecipients(others.length)}</span>}
    </>
  );
}

function RowMeta({ message, excerpt }: Pick<MessageRowProps, "message" | "excerpt">): ReactElement {
  const { attachments, received, type } = message;
  const note = strings.list.attachments(attachments);
  return (
    <div className={styles.meta}>
      {type === "SMS" && <MessageSquare size={13} aria-label={strings.list.sms} />}
      {attachments > 0 && (
        <span className={styles.paperclip} title={note}>
          <Paperclip size={12} aria-hidden />
          <span aria-hidden>{attachments}</span>
          <span className={layout.visuallyHidden}>{note}</span>
        </span>
      )}
      <span className={styles.size}>
        {excerpt === undefined || excerpt.sizeBytes === 0 ? "" : formatBytes(excerpt.sizeBytes)}
      </span>
      <Age instant={received} />
    </div>
  );
}
