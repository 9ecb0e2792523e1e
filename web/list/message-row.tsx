import { MessageSquare, Paperclip } from "lucide-react";
import { memo, type CSSProperties, type MouseEvent, type NamedExoticComponent, type ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import { CodeChip } from "../shared/copy.tsx";
import { addressOf, formatBytes } from "../shared/format.ts";
import { Age } from "../shared/age.tsx";
import { strings } from "../strings.ts";
import type { Contact, MessageExcerpt, Summary } from "../wire.ts";

/** What one row needs. */
export interface MessageRowProps {
  readonly message: Summary;
  readonly excerpt: MessageExcerpt | undefined;
  readonly href: string;
  readonly isOpen: boolean;
  readonly isUnread: boolean;
  readonly isChecked: boolean;
  /** Position in the list from 1, and the list's length, for those who do not see it. */
  readonly position: number;
  readonly count: number;
  readonly style: CSSProperties;
  /** `isRange` asks for everything from the last choice to this one. */
  readonly onCheck: (id: string, isRange: boolean) => void;
}

/** Codes that a row has room for. */
const shownCodesMax = 2;

/** A message as its list shows it: who it is for, what it is about, the code, and how long ago. */
export const MessageRow: NamedExoticComponent<MessageRowProps> = memo((props: MessageRowProps): ReactElement => {
  const { message, excerpt, href, isOpen, isUnread, isChecked, position, count, style, onCheck } = props;
  const isText = message.type === "SMS";
  const subject = isText ? message.summary || strings.list.noText : message.subject || strings.list.noSubject;
  return (
    <li
      className="mail-row"
      style={style}
      data-id={message.id}
      data-open={isOpen}
      data-unread={isUnread}
      data-checked={isChecked}
      aria-posinset={position}
      aria-setsize={count}
    >
      <label className="check">
        <input
          type="checkbox"
          className="checkbox"
          aria-label={strings.list.select(subject)}
          checked={isChecked}
          onClick={(event: MouseEvent) => {
            onCheck(message.id, event.shiftKey);
          }}
          readOnly
        />
      </label>
      <Link
        href={href}
        className="clip"
        aria-label={strings.list.row(
          recipientsOf(message).map(addressOf)[0] ?? strings.list.noRecipient,
          subject,
          isUnread,
        )}
        aria-current={isOpen ? "true" : undefined}
      >
        <Recipient message={message} />
      </Link>
      <div className="about" aria-hidden>
        <span className="subject clip">{subject}</span>
        <span className="summary clip">{isText ? message.from.map(addressOf).join(", ") : message.summary}</span>
      </div>
      <div className="codes">
        {excerpt?.codes.slice(0, shownCodesMax).map((code) => (
          <CodeChip key={code} code={code} />
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
  if (first === undefined) return <span className="faint">{strings.list.noRecipient}</span>;
  const address = addressOf(first);
  const at = address.lastIndexOf("@");
  return (
    <>
      <span>{at < 0 ? address : address.slice(0, at)}</span>
      {at >= 0 && <span className="domain">{address.slice(at)}</span>}
      {others.length > 0 && <span className="domain"> {strings.list.moreRecipients(others.length)}</span>}
    </>
  );
}

function RowMeta({ message, excerpt }: Pick<MessageRowProps, "message" | "excerpt">): ReactElement {
  const { attachments, received, type } = message;
  const note = strings.list.attachments(attachments);
  return (
    <div className="meta">
      {type === "SMS" && <MessageSquare size={13} aria-label={strings.list.sms} />}
      {attachments > 0 && (
        <span className="paperclip" title={note}>
          <Paperclip size={12} aria-hidden />
          <span aria-hidden>{attachments}</span>
          <span className="visually-hidden">{note}</span>
        </span>
      )}
      <span className="size">
        {excerpt === undefined || excerpt.sizeBytes === 0 ? "" : formatBytes(excerpt.sizeBytes)}
      </span>
      <Age instant={received} />
    </div>
  );
}
