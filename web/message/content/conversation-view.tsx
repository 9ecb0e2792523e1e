import { clsx } from "clsx";
import { Paperclip } from "lucide-react";
import { useEffect, useRef, type ReactElement, type RefObject, useState } from "react";
import { useConversation } from "../../api/messages.ts";
import { usePermissions } from "../../api/permissions.ts";
import { useReplyAction } from "../../api/sending.ts";
import { Link } from "../../navigation/location.tsx";
import type { MessageTab } from "../../navigation/routes.ts";
import { Age } from "../../shared/age.tsx";
import badgeStyles from "../../shared/badge.module.css";
import { Button } from "../../shared/button.tsx";
import { CodeChip } from "../../shared/copy.tsx";
import errorNoticeStyles from "../../shared/error-notice.module.css";
import { ErrorNotice } from "../../shared/notice.tsx";
import fieldStyles from "../../shared/field.module.css";
import { Form, whenDone } from "../../shared/form.tsx";
import { addressOf, formatContact } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { Message, Turn, Conversation } from "../../wire.ts";
import styles from "./conversation-view.module.css";

const labels = pageStrings.conversation;

/** The conversation of a message: SMS as a chat, emails as a thread. */

/** Conversation of a message, updated live. */
export function ConversationView(props: {
  readonly message: Message;
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
}): ReactElement {
  const { message, hrefOf } = props;
  const { data, error } = useConversation(message.server, message.id, true);
  const turns = data?.turns ?? [];
  const ref = useScrolledTo(message.id, turns);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className={layout.faint}>{pageStrings.message.loading}</p>;
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
              {pageStrings.conversation.open(turn.subject || pageStrings.message.list.noSubject)}
            </span>
          </Link>
        )}
        <span className={clsx(layout.faint, layout.clip)}>→ {turn.to.map(addressOf).join(", ")}</span>
        <span className={clsx(layout.push, layout.row, layout.faint, layout.small)}>
          {turn.attachments > 0 && <AttachmentCount count={turn.attachments} />}
          <DeliveryBadge turn={turn} states={pageStrings.conversation.emailStates} />
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
  return (
    <li className={styles.turn} data-direction={turn.direction} data-here={isHere}>
      <span className={layout.visuallyHidden}>{labels.turn(turn.direction, turn.from.map(addressOf).join(", "))}</span>
      <p className={styles.turnText}>{turn.text || pageStrings.message.list.noText}</p>
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
  const text = pageStrings.message.list.attachments(count);
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
      <p className={styles.turnText}>{own === "" && quoted === "" ? pageStrings.message.list.noText : own}</p>
      {quoted !== "" && (
        <details>
          <summary className={clsx(layout.faint, layout.small)}>{pageStrings.conversation.quoted}</summary>
          <p className={clsx(styles.turnText, layout.faint)}>{quoted}</p>
        </details>
      )}
    </>
  );
}

/** A quoted line starts with `>` (RFC 3676 §4.5). */
const quotedLine = /^>/;
/** Line that email clients put above a quotation: "On Friday, Mara wrote:". It may be folded into two lines. */
const attribution = /^\S.{0,300}:$/;

/** Splits a text into its own part and the quotation at its end; either may be "". Takes linear time. */
export function splitQuoted(text: string): { readonly own: string; readonly quoted: string } {
  const lines = text.split(/\r?\n/);
  let end = lines.length;
  while (end > 0 && (quotedLine.test(lines[end - 1] ?? "") || lines[end - 1]?.trim() === "")) end -= 1;
  const isQuoting = lines.slice(end).some((line) => quotedLine.test(line));
  if (!isQuoting) return { own: text.trim(), quoted: "" };
  if (attribution.test(lines[end - 1] ?? "")) end -= 1;
  return { own: lines.slice(0, end).join("\n").trim(), quoted: lines.slice(end).join("\n").trim() };
}

/** Most phrases with a button; others are chosen from a list. */
const shownPhrasesMax = 12;
const phrasesId = "approved-phrases";

/** Sends an approved phrase as SMS reply, or explains why replies are disabled. */
export function PhrasePicker(props: {
  readonly server: string;
  readonly turns: readonly Turn[];
  readonly answers: NonNullable<Conversation["answers"]>;
}): ReactElement | null {
  const { server, turns, answers } = props;
  const lastReceived = turns.findLast((turn) => turn.direction === "Received");
  const { mutate, error, isPending } = useReplyAction("reply", { id: lastReceived?.id ?? "", server });
  const { canSend } = usePermissions();
  if (lastReceived === undefined || !canSend) return null;
  if (!answers.hasWebhook)
    return <p className={errorNoticeStyles.notice}>{labels.noWebhook(lastReceived.to.map(addressOf).join(", "))}</p>;
  const send = (text: string): void => mutate({ text }, whenDone(labels.sent(text)));
  return (
    <div className={clsx(styles.phrasePicker, layout.stack, layout.tight)}>
      <div className={clsx(layout.row, layout.wrap)} role="group" aria-label={labels.phrases}>
        {answers.phrases.slice(0, shownPhrasesMax).map((phrase) => (
          <button
            key={phrase}
            type="button"
            className={styles.phrase}
            disabled={isPending}
            aria-label={labels.send(phrase)}
            onClick={() => send(phrase)}
          >
            {phrase}
          </button>
        ))}
      </div>
      {answers.phrases.length > shownPhrasesMax && (
        <MorePhrases phrases={answers.phrases} isPending={isPending} onSend={send} />
      )}
      {error !== null && <ErrorNotice error={error} />}
      <p className={clsx(layout.faint, layout.small)}>{labels.onlyPhrases}</p>
    </div>
  );
}

function MorePhrases(props: {
  readonly phrases: readonly string[];
  readonly isPending: boolean;
  readonly onSend: (phrase: string) => void;
}): ReactElement {
  const { phrases, isPending, onSend } = props;
  const [phrase, setPhrase] = useState("");
  const submit = (): void => {
    onSend(phrase);
    setPhrase("");
  };
  return (
    <Form className={layout.row} onSubmit={submit}>
      <input
        className={fieldStyles.input}
        list={phrasesId}
        required
        autoComplete="off"
        aria-label={labels.replyWith}
        placeholder={labels.replyWith}
        value={phrase}
        onChange={(event) => setPhrase(event.target.value)}
      />
      <datalist id={phrasesId}>
        {phrases.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </datalist>
      <Button variant="primary" type="submit" disabled={isPending}>
        {labels.reply}
      </Button>
    </Form>
  );
}
