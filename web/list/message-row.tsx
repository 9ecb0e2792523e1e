import { clsx } from "clsx";
import { Image, MessageSquare, Paperclip, Star } from "lucide-react";
import { memo, type MouseEvent, type NamedExoticComponent, type ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import { Age } from "../shared/age.tsx";
import { CodeChip } from "../shared/copy.tsx";
import fieldStyles from "../shared/field.module.css";
import { addressOf, formatPreview, formatBytes } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import type { MessageExcerpt, MessageMarks, Summary } from "../wire.ts";
import styles from "./list.module.css";
import { peopleTitle, recipientsOf, RowPeople } from "./row-people.tsx";

/** Position of a row in its list, in pixels. */
export interface RowPosition {
  readonly top: number;
  readonly height: number;
}

/** Actions of rows; each is the same function for as long as the list is shown. */
export interface RowActions {
  /** Null for a key that may only read. With `isRange`, selects everything from the last toggled message to this one. */
  readonly onCheck: ((id: string, isRange: boolean) => void) | null;
  /** Null for a key that may not change marks. */
  readonly onStar: ((ids: readonly string[], isStarred: boolean) => void) | null;
  /** Shows only messages with a tag. */
  readonly onTag: (tag: string) => void;
}

/** Props of {@link MessageRow}. Each stays the same while its row does, so that other rows are not rendered again. */
export interface MessageRowProps extends RowPosition, RowActions {
  readonly message: Summary;
  readonly excerpt: MessageExcerpt | undefined;
  readonly marks: MessageMarks | undefined;
  readonly isSent: boolean;
  /** See {@link RowPeople}. */
  readonly sharedDomain: string;
  /** Name of an attachment that the search found; null for none. */
  readonly foundFile: string | null;
  /** Part of the text that the search found, where the row does not show the reason otherwise. */
  readonly passage: string | undefined;
  readonly href: string;
  readonly isOpen: boolean;
  readonly isChecked: boolean;
  /** Whether the Tab key reaches this row; it reaches one row of the list. */
  readonly isTabStop: boolean;
  /** Position from 1 and length of the list (-1 if unknown), for assistive technology. */
  readonly position: number;
  readonly count: number;
}

/** Most codes that a row shows. */
const shownCodesMax = 2;
/** Most tags that a row shows. */
const shownTagsMax = 2;

/** A row of the list: sender, recipient, subject, tags, codes, size and age of a message. */
export const MessageRow: NamedExoticComponent<MessageRowProps> = memo((props: MessageRowProps): ReactElement => {
  const { message, href, isOpen, isChecked, position, count, top, height, passage } = props;
  const tabIndex = props.isTabStop ? 0 : -1;
  const isUnread = isUnreadOf(props);
  const isSms = message.type === "SMS";
  const subject = isSms
    ? (passage ?? message.summary) || strings.list.noText
    : message.subject || strings.list.noSubject;
  return (
    <li
      className={styles.messageRow}
      style={{ top, height }}
      data-id={message.id}
      data-open={isOpen}
      data-unread={isUnread ?? "unknown"}
      data-type={message.type}
      data-checked={isChecked}
      aria-posinset={position}
      aria-setsize={count}
    >
      <RowCheck {...props} subject={subject} tabIndex={tabIndex} />
      <Link
        href={href}
        tabIndex={tabIndex}
        aria-label={rowName(message, subject, isUnread === true)}
        title={peopleTitle(message)}
        aria-current={isOpen ? "true" : undefined}
      />
      <RowPeople message={message} sharedDomain={props.sharedDomain} />
      <div className={styles.about} aria-hidden>
        <span className={clsx(styles.subject, layout.clip)} data-field={isSms ? "body" : "subject"}>
          {subject}
        </span>
        {!isSms && (
          <span className={clsx(styles.summary, layout.clip)} data-field="body" data-found={passage !== undefined}>
            {passage ?? formatPreview(message)}
          </span>
        )}
      </div>
      <RowChips {...props} tabIndex={tabIndex} />
      <RowMeta {...props} subject={subject} />
    </li>
  );
});

/** Checkbox that selects the message; the place of the dot of unread messages, which every row has. */
function RowCheck(props: RowPartProps & { readonly subject: string }): ReactElement {
  const { message, isChecked, onCheck, subject, tabIndex } = props;
  if (onCheck === null) return <span className={styles.check} />;
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        className={fieldStyles.checkbox}
        aria-label={strings.list.select(subject)}
        checked={isChecked}
        onClick={(event: MouseEvent) => onCheck(message.id, event.shiftKey)}
        readOnly
        tabIndex={tabIndex}
      />
    </label>
  );
}

/** Returns whether nobody has read the message; null before that is known. */
function isUnreadOf({ marks, isSent }: Pick<MessageRowProps, "marks" | "isSent">): boolean | null {
  if (isSent) return false;
  return marks === undefined ? null : !marks.flags.includes("seen");
}

/** Returns the name of a row for assistive technology, to which its other texts are hidden. */
function rowName(message: Summary, subject: string, isUnread: boolean): string {
  const [sender] = message.from;
  const [recipient] = recipientsOf(message);
  return strings.list.row({
    sender: sender === undefined ? strings.rows.noSender : sender.name || addressOf(sender),
    recipient: recipient === undefined ? strings.list.noRecipient : addressOf(recipient),
    subject,
    isUnread,
  });
}

/** Returns the tags of a message and those that its sender gave it in a provider's API, which searches find alike. */
function allTags(own: readonly string[], given: readonly string[]): readonly string[] {
  if (given.length === 0) return own;
  const known = new Set(own.map((tag) => tag.toLowerCase()));
  return [...own, ...given.filter((tag) => !known.has(tag.toLowerCase()))];
}

type RowPartProps = MessageRowProps & { readonly tabIndex: 0 | -1 };

/** Tags, which select the messages with the same tag, codes, which are copied, and the name of a file that was searched. */
function RowChips({ marks, excerpt, foundFile, tabIndex, onTag }: RowPartProps): ReactElement {
  const tags = allTags(marks?.tags ?? [], excerpt?.providerTags ?? []);
  const hidden = tags.slice(shownTagsMax);
  return (
    <div className={styles.codes}>
      {tags.slice(0, shownTagsMax).map((tag) => (
        <button
          key={tag}
          type="button"
          className={clsx(styles.tag, layout.clip)}
          tabIndex={tabIndex}
          aria-label={strings.rows.onlyTag(tag)}
          title={strings.rows.onlyTag(tag)}
          data-field="tag"
          onClick={() => onTag(tag)}
        >
          {tag}
        </button>
      ))}
      {hidden.length > 0 && (
        <span className={styles.moreTags} title={hidden.join(", ")}>
          <span aria-hidden>{strings.list.moreRecipients(hidden.length)}</span>
          <span className={layout.visuallyHidden}>{strings.rows.moreTags(hidden)}</span>
        </span>
      )}
      {excerpt?.codes.slice(0, shownCodesMax).map((code) => (
        <CodeChip key={code} code={code} tabIndex={tabIndex} />
      ))}
      {foundFile !== null && (
        <span className={styles.foundFile} title={foundFile}>
          <Paperclip size={12} aria-hidden />
          <span className={layout.clip} data-field="file">
            {foundFile}
          </span>
        </span>
      )}
    </div>
  );
}

function RowMeta(props: MessageRowProps & { readonly subject: string }): ReactElement {
  const { message, excerpt, marks, onStar, subject } = props;
  const inline = excerpt?.inline ?? 0;
  const isStarred = marks?.flags.includes("flagged") === true;
  return (
    <div className={styles.meta}>
      {onStar !== null && (
        <button
          type="button"
          className={styles.star}
          aria-label={strings.rows.star(subject)}
          title={isStarred ? strings.rows.removeStar : strings.rows.addStar}
          aria-pressed={isStarred}
          // The key `s` does the same; one more stop in each row would be in the way.
          tabIndex={-1}
          onClick={() => onStar([message.id], !isStarred)}
        >
          <Star size={14} aria-hidden />
        </button>
      )}
      {message.type === "SMS" && <MessageSquare size={13} aria-label={strings.list.sms} />}
      <PartCount icon={Image} count={inline} note={strings.rows.inline(inline)} />
      <PartCount
        icon={Paperclip}
        count={excerpt === undefined ? 0 : message.attachments - inline}
        note={strings.list.attachments(message.attachments - inline)}
      />
      <span className={styles.size} data-unknown={excerpt === undefined}>
        {excerpt === undefined ? "…" : excerpt.sizeBytes === 0 ? "" : formatBytes(excerpt.sizeBytes)}
      </span>
      <Age instant={message.received} />
    </div>
  );
}

function PartCount(props: {
  readonly icon: typeof Paperclip;
  readonly count: number;
  readonly note: string;
}): ReactElement | null {
  const { icon: Icon, count, note } = props;
  if (count <= 0) return null;
  return (
    <span className={styles.partCount} title={note}>
      <Icon size={12} aria-hidden />
      <span aria-hidden>{count}</span>
      <span className={layout.visuallyHidden}>{note}</span>
    </span>
  );
}
