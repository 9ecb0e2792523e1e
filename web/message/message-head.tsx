import { TriangleAlert } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Link } from "../navigation/location.tsx";
import { CodeChip } from "../shared/copy.tsx";
import { addressOf, formatContact, formatInstant } from "../shared/format.ts";
import { Age } from "../shared/age.tsx";
import { strings } from "../strings.ts";
import { BackButton } from "./back-button.tsx";
import type { Contact, Message } from "../wire.ts";

/** Subject, codes, and from whom to whom. */
export function MessageHead(props: {
  readonly message: Message;
  readonly deliveryHref: string;
  /** What can be done with the message. */
  readonly tools: ReactNode;
  readonly onBack: () => void;
}): ReactElement {
  const { message, deliveryHref, tools, onBack } = props;
  const codes = new Set([...message.html.codes, ...message.text.codes].map((code) => code.value));
  const { from, to, cc, bcc } = strings.message;
  return (
    <header className="message-head">
      <div className="message-title">
        <BackButton onClick={onBack} />
        <h2>{titleOf(message)}</h2>
        {tools}
      </div>
      {codes.size > 0 && (
        <div className="row wrap" role="group" aria-label={strings.message.codes}>
          {Array.from(codes, (code) => (
            <CodeChip key={code} code={code} isLarge />
          ))}
        </div>
      )}
      <dl className="routes">
        <Contacts name={from} contacts={message.from} />
        <Contacts name={to} contacts={message.to} />
        <Contacts name={cc} contacts={message.cc} />
        <Contacts name={bcc} contacts={message.bcc} />
        <dt>{strings.message.received}</dt>
        <dd className="row wrap">
          <span>{formatInstant(message.received)}</span>
          <span className="faint">
            <Age instant={message.received} />
          </span>
          {message.defects.length > 0 && (
            <Link className="badge warn" href={deliveryHref}>
              <TriangleAlert size={12} aria-hidden />
              {strings.message.defects(message.defects.length)}
            </Link>
          )}
        </dd>
      </dl>
    </header>
  );
}

function titleOf({ type, subject, from }: Message): string {
  if (type === "SMS") return strings.message.textTitle(from.map(addressOf).join(", "));
  return subject || strings.list.noSubject;
}

function Contacts(props: { readonly name: string; readonly contacts: readonly Contact[] }): ReactElement | null {
  const { name, contacts } = props;
  if (contacts.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{contacts.map(formatContact).join(", ")}</dd>
    </>
  );
}
