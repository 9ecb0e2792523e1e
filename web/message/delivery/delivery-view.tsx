import { clsx } from "clsx";
import { type ReactElement, Fragment } from "react";
import { useMessageTrace } from "../../api/messages.ts";
import { useScan } from "../../api/scanner.ts";
import { useProviderLabel } from "../../api/session.ts";
import { pageStrings } from "../../page-strings.ts";
import { CopyButton } from "../../shared/copy.tsx";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import { addressOf, formatBytes, formatPreciseInstant } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import tableStyles from "../../shared/table.module.css";
import type { Message, MessageTrace, ProviderOrigin, Scan } from "../../wire.ts";
import styles from "../message-pane.module.css";
import { TranscriptView } from "./transcript-view.tsx";

/** SMTP session, delivery state and MIME defects of a message. */
export function DeliveryView({ message }: { readonly message: Message }): ReactElement {
  const { data: trace, error } = useMessageTrace(message.id);
  const labels = pageStrings.delivery;
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
  const labels = pageStrings.delivery;
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
      {session !== null && !trace.hasTranscript && <p className={layout.faint}>{pageStrings.transcript.none}</p>}
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
  const labels = pageStrings.delivery;
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

/** Facts of the provider's API about a message: id, schedule, tags, metadata and template. */
function ProviderView({ provider }: { readonly provider: ProviderOrigin }): ReactElement {
  const { name, id, scheduledAt, tags, metadata, template } = provider;
  const labels = pageStrings.provider;
  const pairs = [
    ...(scheduledAt === null ? [] : [[labels.scheduledAt, formatPreciseInstant(scheduledAt)] as const]),
    ...(tags.length === 0 ? [] : [[labels.tags, tags.join(", ")] as const]),
    ...Object.entries(metadata),
    ...(template === null ? [] : [[labels.template, template.id] as const]),
  ];
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.title(useProviderLabel(name))}</h3>
      <dl className={tableStyles.pairs}>
        <dt>{labels.id}</dt>
        <dd className={layout.row}>
          <code>{id}</code>
          <CopyButton text={id} name={labels.id} />
        </dd>
        {pairs.map(([term, text], at) => (
          // oxlint-disable-next-line react/no-array-index-key -- metadata may have the name of another pair
          <Fragment key={at}>
            <dt>{term}</dt>
            <dd className={layout.mono}>{text}</dd>
          </Fragment>
        ))}
      </dl>
      {template !== null && (
        <>
          <h4>{labels.data}</h4>
          <pre className={styles.plain}>{JSON.stringify(template.data, null, 2)}</pre>
        </>
      )}
    </section>
  );
}

/** Requests of the link scanner for a message that was scanned, and their responses. */
export function ScanView({ id }: { readonly id: string }): ReactElement {
  const { data: scan, error } = useScan(id);
  const labels = pageStrings.scan;
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.title}</h3>
      {error !== null && <ErrorNotice error={error} />}
      {scan !== undefined && <Report scan={scan} />}
    </section>
  );
}

function Report({ scan }: { readonly scan: Scan }): ReactElement {
  const labels = pageStrings.scan;
  const { profile, when, result, started, urlCount, skippedCount, omittedCount, requests } = scan;
  return (
    <>
      <p>
        {labels.summary(pageStrings.scanner.profiles[profile], labels.moments[when], formatPreciseInstant(started))}
      </p>
      <p className={layout.soft}>{labels.results[result](urlCount, skippedCount)}</p>
      {requests.length > 0 && <Requests requests={requests} />}
      {omittedCount > 0 && <p className={layout.faint}>{labels.omitted(omittedCount)}</p>}
    </>
  );
}

function Requests({ requests }: Pick<Scan, "requests">): ReactElement {
  const labels = pageStrings.scan;
  return (
    <div className={tableStyles.wideContent}>
      <table className={tableStyles.table} aria-label={labels.title}>
        <thead>
          <tr>
            <th scope="col">{labels.request}</th>
            <th scope="col">{labels.resource}</th>
            <th scope="col">{labels.status}</th>
            <th scope="col">{labels.duration}</th>
            <th scope="col">{labels.outcome}</th>
          </tr>
        </thead>
        <tbody>
          {requests.map(({ method, url, resource, status, durationMs, redirect, error }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- the same request may be made twice
            <tr key={at}>
              <td className={clsx(layout.anywhere, layout.mono)}>{`${method} ${url}`}</td>
              <td>{resource ?? ""}</td>
              <td>{status ?? ""}</td>
              <td>{labels.ms(durationMs)}</td>
              <td className={layout.anywhere}>{error ?? (redirect === null ? "" : labels.redirect(redirect))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
