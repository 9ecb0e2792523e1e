import type { ReactElement } from "react";
import { useMessageTrace } from "../api/messages.ts";
import { CopyButton } from "../shared/copy.tsx";
import { addressOf, formatBytes } from "../shared/format.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { Message, Trace } from "../wire.ts";

/** What the SMTP session said, and what is wrong with what it brought. */
export function DeliveryView({ message }: { readonly message: Message }): ReactElement {
  const { data: trace, error } = useMessageTrace(message.id);
  const words = strings.delivery;
  return (
    <div className="stack">
      <section className="stack tight">
        <h3>{words.title}</h3>
        {error !== null && <ErrorNotice error={error} />}
        {trace !== undefined && <Envelope message={message} trace={trace} />}
      </section>
      <section className="stack tight">
        <h3>{words.defects}</h3>
        {message.defects.length === 0 && <p className="faint">{words.noDefects}</p>}
        <ul className="stack tight">
          {message.defects.map((defect) => (
            <li key={defect} className="row wrap">
              <span>{words.defectTexts[defect] ?? defect}</span>
              <code className="faint">{defect}</code>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Envelope({ message, trace }: { readonly message: Message; readonly trace: Trace }): ReactElement {
  const words = strings.delivery;
  const { session, sizeBytes } = trace;
  const { mailFrom, rcptTo } = message.metadata;
  const envelope: readonly Pair[] =
    session === null
      ? []
      : [
          [words.envelopeFrom, mailFrom === "" ? words.nullSender : (mailFrom ?? "")],
          ...rcptTo.map((contact): Pair => [words.envelopeTo, addressOf(contact)]),
          [words.ehlo, session.ehlo ?? ""],
          [words.client, session.clientAddress],
          [words.protocol, session.protocol],
          [words.tls, session.tls ?? words.clear],
          [words.auth, session.authenticatedAs ?? words.anonymous],
        ];
  return (
    <>
      {session === null && <p className="faint">{words.noSession}</p>}
      <dl className="pairs">
        {envelope.map(([name, value], at) => (
          // oxlint-disable-next-line react/no-array-index-key -- recipients share their name
          <PairItem key={at} name={name} value={value} />
        ))}
        {message.delivery !== undefined && <DeliveryState delivery={message.delivery} />}
        <PairItem name={words.size} value={formatBytes(sizeBytes)} />
        <dt>{words.id}</dt>
        <dd className="row">
          <code>{message.id}</code>
          <CopyButton text={message.id} name={words.id} />
        </dd>
      </dl>
    </>
  );
}

/** How far a message that goes out has come. */
function DeliveryState({ delivery }: { readonly delivery: NonNullable<Message["delivery"]> }): ReactElement {
  const words = strings.delivery;
  return (
    <>
      <PairItem name={words.state} value={words.states(delivery.status, delivery.attempts)} />
      {delivery.lastError !== null && <PairItem name={words.lastError} value={delivery.lastError} />}
    </>
  );
}

type Pair = readonly [name: string, value: string];

function PairItem({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd className="mono">{value}</dd>
    </>
  );
}
