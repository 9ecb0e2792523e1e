/** A message among those that belong to it: texts as a chat, mails as a thread. */
import { Paperclip } from "lucide-react";
import { useEffect, useRef, type ReactElement, type RefObject } from "react";
import { useConversation } from "../api/messages.ts";
import { Link } from "../navigation/location.tsx";
import type { MessageTab } from "../navigation/place.ts";
import { CodeChip } from "../shared/copy.tsx";
import { addressOf, formatContact } from "../shared/format.ts";
import { Age } from "../shared/age.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { Message, Turn } from "../wire.ts";
import { PhrasePicker } from "./phrase-picker.tsx";
import { splitQuoted } from "./split-quoted.ts";

/** The conversation of a message, live. */
export function ConversationView(props: {
  readonly message: Message;
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
}): ReactElement {
  const { message, hrefOf } = props;
  const { data, error } = useConversation(message.server, message.id, true);
  const words = strings.conversation;
  const turns = data?.turns ?? [];
  const ref = useScrolledTo(message.id, turns);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className="faint">{strings.loading}</p>;
  const isChat = message.type === "SMS";
  const TurnItem = isChat ? ChatTurn : MailTurn;
  return (
    <div className={isChat ? "conversation chat" : "conversation"}>
      <ol className="turns" ref={ref} aria-label={words.label}>
        {turns.map((turn) => (
          <TurnItem key={turn.id} turn={turn} isHere={turn.id === message.id} href={hrefOf(turn.id)} />
        ))}
      </ol>
      {!isChat && <p className="faint small">{turns.length === 1 ? `${words.alone} ${words.bounds}` : words.bounds}</p>}
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
    <li className="turn" data-direction={turn.direction} data-here={isHere}>
      <div className="row wrap turn-head">
        {isHere ? (
          <b className="clip" aria-current="true">
            {name}
          </b>
        ) : (
          <Link className="clip" href={href}>
            {name}
            <span className="visually-hidden">
              {" "}
              {strings.conversation.open(turn.subject || strings.list.noSubject)}
            </span>
          </Link>
        )}
        <span className="faint clip">→ {turn.to.map(addressOf).join(", ")}</span>
        <span className="push row faint small">
          {turn.attachments > 0 && <AttachmentCount count={turn.attachments} />}
          <DeliveryBadge turn={turn} words={strings.conversation.mailStates} />
          <Age instant={turn.received} />
        </span>
      </div>
      <TurnText text={turn.text} />
      <TurnCodes codes={turn.codes} />
    </li>
  );
}

/** A text: who said it is seen by its side. */
function ChatTurn({ turn, isHere, href }: TurnProps): ReactElement {
  const words = strings.conversation;
  return (
    <li className="turn" data-direction={turn.direction} data-here={isHere}>
      <span className="visually-hidden">{words.turn(turn.direction, turn.from.map(addressOf).join(", "))}</span>
      <p className="turn-text">{turn.text || strings.list.noText}</p>
      <TurnCodes codes={turn.codes} />
      <div className="row turn-foot faint small">
        <DeliveryBadge turn={turn} words={words.textStates} />
        <Link href={href} aria-current={isHere ? "true" : undefined}>
          <span className="visually-hidden">{words.open(turn.text.slice(0, labelLengthMax))} </span>
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
    <div className="row wrap">
      {codes.map((code) => (
        <CodeChip key={code} code={code} />
      ))}
    </div>
  );
}

function AttachmentCount({ count }: { readonly count: number }): ReactElement {
  const text = strings.list.attachments(count);
  return (
    <span className="row" title={text}>
      <Paperclip size={12} aria-hidden />
      <span className="visually-hidden">{text}</span>
    </span>
  );
}

function DeliveryBadge(props: {
  readonly turn: Turn;
  readonly words: Readonly<Record<"Queued" | "Sent" | "Failed", string>>;
}): ReactElement | null {
  const { delivery } = props.turn;
  if (delivery === undefined) return null;
  return (
    <span className="badge" data-result={deliveryResults[delivery.status]} title={delivery.lastError ?? ""}>
      {props.words[delivery.status]}
    </span>
  );
}

const deliveryResults = { Queued: "Warning", Sent: "Pass", Failed: "Fail" } as const;

/** Brings the message itself into sight, and later whatever is added at the end. */
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

/** What was said, and behind a fold what was quoted. */
function TurnText({ text }: { readonly text: string }): ReactElement {
  const { own, quoted } = splitQuoted(text);
  return (
    <>
      <p className="turn-text">{own === "" && quoted === "" ? strings.list.noText : own}</p>
      {quoted !== "" && (
        <details>
          <summary className="faint small">{strings.conversation.quoted}</summary>
          <p className="turn-text faint">{quoted}</p>
        </details>
      )}
    </>
  );
}
