import { clsx } from "clsx";
/** The conversation of a message: SMS as a chat, emails as a thread. */
import { Paperclip } from "lucide-react";
import { useEffect, useRef, type ReactElement, type RefObject } from "react";
import { useConversation } from "../../api/messages.ts";
import { Link } from "../../navigation/location.tsx";
import type { MessageTab } from "../../navigation/routes.ts";
import { Age } from "../../shared/age.tsx";
import badgeStyles from "../../shared/badge.module.css";
import { CodeChip } from "../../shared/copy.tsx";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import { addressOf, formatContact } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import { strings } from "../../strings.ts";
import type { Message, Turn } from "../../wire.ts";
import styles from "./conversation-view.module.css";
import { PhrasePicker } from "./phrase-picker.tsx";
import { splitQuoted } from "./split-quoted.ts";

/** Conversation of a message, updated live. */
export function ConversationView(props: {
  readonly message: Message;
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
}): ReactElement {
  const { message, hrefOf } = props;
  const { data, error } = useConversation(message.server, message.id, true);
  const labels = strings.conversation;
  const turns = data?.turns ?? [];
  const ref = useScrolledTo(message.id, turns);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className={layout.faint}>{strings.loading}</p>;
  const isChat = message.type === "SMS";
  const TurnItem = isChat ? ChatTurn : MailTurn;
  return (
    <div className={clsx(styles.conversation, isChat && styles.chat)}>
      <ol className={styles.turns} ref={ref} aria-label={labels.label}>
        {turns.map((turn) => (
          <TurnItem key={turn.id} turn={turn} isHere={turn.id === message.id} href={hrefOf(turn.id)} />
        ))}
      </ol>
      {!isChat && (
        <p className={clsx(layout.faint, layout.small)}>
          {turns.length === 1 ? `${labels.alone} ${labels.bounds}` : labels.bounds}
        </p>
      )}
      {data.answers !== null && <PhrasePicker server={message.server} turns={turns} answers={data.answers} />}
    </div>
  );
}

interface TurnProps {
  readonly turn: Turn;
  readonly isHere: boolean;
  readonly href: string;
}

function MailTurn({ turn, isHere, href }: TurnProps): ReactElement {
  const name = turn.from.map(formatContact).join(", ");
  return (
    <li className={styles.turn} data-direction={turn.direction} data-here={isHere}>
      <div className={clsx(layout.row, layout.wrap, styles.turnHead)}>
        {isHere ? (
          <b className={layout.clip} aria-current="true">
            {name}
          </b>
        ) : (
          <Link className={layout.clip} href={href}>
            {name}
            <span className={layout.visuallyHidden}>
              {" "}
              {strings.conversation.open(turn.subject || strings.list.noSubject)}
            </span>
          </Link>
        )}
        <span className={clsx(layout.faint, layout.clip)}>→ {turn.to.map(addressOf).join(", ")}</span>
        <span className={clsx(layout.push, layout.row, layout.faint, layout.small)}>
          {turn.attachments > 0 && <AttachmentCount count={turn.attachments} />}
          <DeliveryBadge turn={turn} states={strings.conversation.emailStates} />
          <Age instant={turn.received} />
        </span>
      </div>
      <TurnText text={turn.text} />
      <TurnCodes codes={turn.codes} />
    </li>
  );
}

/** An SMS; its side shows whether it was received or sent. */
function ChatTurn({ turn, isHere, href }: TurnProps): ReactElement {
  const labels = strings.conversation;
  return (
    <li className={styles.turn} data-direction={turn.direction} data-here={isHere}>
      <span className={layout.visuallyHidden}>{labels.turn(turn.direction, turn.from.map(addressOf).join(", "))}</span>
      <p className={styles.turnText}>{turn.text || strings.list.noText}</p>
      <TurnCodes codes={turn.codes} />
      <div className={clsx(layout.row, styles.turnFoot, layout.faint, layout.small)}>
        <DeliveryBadge turn={turn} states={labels.smsStates} />
        <Link href={href} aria-current={isHere ? "true" : undefined}>
          <span className={layout.visuallyHidden}>{labels.open(turn.text.slice(0, labelLengthMax))} </span>
          <Age instant={turn.received} />
        </Link>
      </div>
    </li>
  );
}

const labelLengthMax = 80;

function TurnCodes({ codes }: { readonly codes: readonly string[] }): ReactElement | null {
  if (codes.length === 0) return null;
  return (
    <div className={clsx(layout.row, layout.wrap)}>
      {codes.map((code) => (
        <CodeChip key={code} code={code} />
      ))}
    </div>
  );
}

function AttachmentCount({ count }: { readonly count: number }): ReactElement {
  const text = strings.list.attachments(count);
  return (
    <span className={layout.row} title={text}>
      <Paperclip size={12} aria-hidden />
      <span className={layout.visuallyHidden}>{text}</span>
    </span>
  );
}

function DeliveryBadge(props: {
  readonly turn: Turn;
  readonly states: Readonly<Record<"Queued" | "Sent" | "Failed", string>>;
}): ReactElement | null {
  const { delivery } = props.turn;
  if (delivery === undefined) return null;
  return (
    <span className={badgeStyles.badge} data-result={deliveryResults[delivery.status]} title={delivery.lastError ?? ""}>
      {props.states[delivery.status]}
    </span>
  );
}

const deliveryResults = { Queued: "Warning", Sent: "Pass", Failed: "Fail" } as const;

/** Scrolls to the message itself at first, and later to messages that are added at the end. */
function useScrolledTo(id: string, turns: readonly Turn[]): RefObject<HTMLOListElement | null> {
  const ref = useRef<HTMLOListElement>(null);
  const known = useRef(0);
  useEffect(() => {
    const isFirst = known.current === 0;
    known.current = turns.length;
    const at = isFirst ? turns.findIndex((turn) => turn.id === id) : turns.length - 1;
    ref.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [id, turns]);
  return ref;
}

/** Text of an email with the quotation at its end folded. */
function TurnText({ text }: { readonly text: string }): ReactElement {
  const { own, quoted } = splitQuoted(text);
  return (
    <>
      <p className={styles.turnText}>{own === "" && quoted === "" ? strings.list.noText : own}</p>
      {quoted !== "" && (
        <details>
          <summary className={clsx(layout.faint, layout.small)}>{strings.conversation.quoted}</summary>
          <p className={clsx(styles.turnText, layout.faint)}>{quoted}</p>
        </details>
      )}
    </>
  );
}
