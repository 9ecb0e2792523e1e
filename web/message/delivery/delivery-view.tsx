import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useMessageTrace } from "../../api/messages.ts";
import { CopyButton } from "../../shared/copy.tsx";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import { addressOf, formatBytes } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import tableStyles from "../../shared/table.module.css";
import { strings } from "../../strings.ts";
import type { Message, MessageTrace } from "../../wire.ts";
import { ProviderView } from "./provider-view.tsx";
import { ScanView } from "./scan-view.tsx";
import { TranscriptView } from "./transcript-view.tsx";

/** SMTP session, delivery state and MIME defects of a message. */
export function DeliveryView({ message }: { readonly message: Message }): ReactElement {
  const { data: trace, error } = useMessageTrace(message.id);
  const labels = strings.delivery;
  return (
    <div className={layout.stack}>
      {message.provider != null && <ProviderView provider={message.provider} />}
      <section className={clsx(layout.stack, layout.tight)}>
        <h3>{labels.title}</h3>
        {error !== null && <ErrorNotice error={error} />}
        {trace !== undefined && <Envelope message={message} trace={trace} />}
      </section>
      {trace?.hasTranscript === true && <TranscriptView id={message.id} />}
      {trace?.hasScan === true && <ScanView id={message.id} />}
      <section className={clsx(layout.stack, layout.tight)}>
        <h3>{labels.defects}</h3>
        {message.defects.length === 0 && <p className={layout.faint}>{labels.noDefects}</p>}
        <ul className={clsx(layout.stack, layout.tight)}>
          {message.defects.map((defect) => (
            <li key={defect} className={clsx(layout.row, layout.wrap)}>
              <span>{labels.defectTexts[defect] ?? defect}</span>
              <code className={layout.faint}>{defect}</code>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Envelope({ message, trace }: { readonly message: Message; readonly trace: MessageTrace }): ReactElement {
  const labels = strings.delivery;
  const { session, sizeBytes } = trace;
  const { mailFrom, rcptTo } = message.metadata;
  const envelope: readonly Pair[] =
    session === null
      ? []
      : [
          [labels.envelopeFrom, mailFrom === "" ? labels.nullSender : (mailFrom ?? "")],
          ...rcptTo.map((contact): Pair => [labels.envelopeTo, addressOf(contact)]),
          [labels.ehlo, session.ehlo ?? ""],
          [labels.client, session.clientAddress],
          [labels.protocol, session.protocol],
          [labels.tls, session.tls ?? labels.clear],
          [labels.auth, session.authenticatedAs ?? labels.anonymous],
        ];
  return (
    <>
      {session === null && <p className={layout.faint}>{labels.noSession}</p>}
      {session !== null && !trace.hasTranscript && <p className={layout.faint}>{strings.transcript.none}</p>}
      <dl className={tableStyles.pairs}>
        {envelope.map(([name, value], at) => (
          // oxlint-disable-next-line react/no-array-index-key -- recipients share their name
          <PairItem key={at} name={name} value={value} />
        ))}
        {message.delivery !== undefined && <DeliveryState delivery={message.delivery} />}
        <PairItem name={labels.size} value={formatBytes(sizeBytes)} />
        <dt>{labels.id}</dt>
        <dd className={layout.row}>
          <code>{message.id}</code>
          <CopyButton text={message.id} name={labels.id} />
        </dd>
      </dl>
    </>
  );
}

/** Delivery state of a sent message. */
function DeliveryState({ delivery }: { readonly delivery: NonNullable<Message["delivery"]> }): ReactElement {
  const labels = strings.delivery;
  return (
    <>
      <PairItem name={labels.state} value={labels.states(delivery.status, delivery.attempts)} />
      {delivery.lastError !== null && <PairItem name={labels.lastError} value={delivery.lastError} />}
    </>
  );
}

type Pair = readonly [name: string, value: string];

function PairItem({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd className={layout.mono}>{value}</dd>
    </>
  );
}
