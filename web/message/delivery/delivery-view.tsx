import { clsx } from "clsx";
import { type ReactElement, Fragment } from "react";
import { useMessageTrace } from "../../api/messages.ts";
import { useScan } from "../../api/scanner.ts";
import { useProviderLabel } from "../../api/session.ts";
import { pageStrings } from "../../page-strings.ts";
import { CopyButton } from "../../shared/copy.tsx";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import { addressOf, formatPreciseInstant } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import { Table } from "../../shared/table.tsx";
import tableStyles from "../../shared/table.module.css";
import type { Message, MessageTrace, ProviderOrigin, Scan } from "../../wire.ts";
import styles from "../message-pane.module.css";
import { TranscriptView } from "./transcript-view.tsx";

/** Way by which a message came, with its envelope, the delivery state of a sent one, and MIME defects. */
export function DeliveryView({ message }: { readonly message: Message }): ReactElement {
  const { data: trace, error } = useMessageTrace(message.id);
  const labels = pageStrings.delivery;
  return (
    <div className={layout.stack}>
      {message.provider != null && <ProviderView provider={message.provider} />}
      {error !== null && <ErrorNotice error={error} />}
      {trace === undefined && error === null && <p className={layout.faint}>{pageStrings.message.loading}</p>}
      {trace !== undefined && <Arrival message={message} trace={trace} />}
      {trace?.hasTranscript === true && <TranscriptView id={message.id} />}
      {trace?.hasScan === true && <ScanView id={message.id} />}
      {message.defects.length > 0 && (
        <section className={clsx(layout.stack, layout.tight)}>
          <h3>{labels.defects}</h3>
          <ul className={clsx(layout.stack, layout.tight)}>
            {message.defects.map((defect) => (
              <li key={defect} className={clsx(layout.row, layout.wrap)}>
                <span>{labels.defectTexts[defect] ?? defect}</span>
                <code className={layout.faint}>{defect}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Arrival({ message, trace }: { readonly message: Message; readonly trace: MessageTrace }): ReactElement {
  const labels = pageStrings.delivery;
  const { session } = trace;
  const { mailFrom, rcptTo, accepted, faults = [] } = message.metadata;
  const pairs: readonly Pair[] = [
    ...(mailFrom === null ? [] : [[labels.envelopeFrom, mailFrom || labels.nullSender] as const]),
    ...rcptTo.map((contact): Pair => [labels.envelopeTo, addressOf(contact)]),
    ...(session === null ? [] : pairsOfSession(session)),
    ...(message.delivery === undefined ? [] : pairsOfDelivery(message.delivery)),
    ...(accepted === undefined ? [] : [[labels.accepted, formatPreciseInstant(accepted)] as const]),
    ...faults.map(({ rule, stage }): Pair => [labels.fault, `${rule} (${stage})`]),
  ];
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.titles[wayOf(message, trace)]}</h3>
      {session !== null && !trace.hasTranscript && <p className={layout.faint}>{pageStrings.transcript.none}</p>}
      <dl className={tableStyles.pairs}>
        {pairs.map(([name, value], at) => (
          // oxlint-disable-next-line react/no-array-index-key -- recipients share their name
          <Fragment key={at}>
            <dt>{name}</dt>
            <dd className={layout.mono}>{value}</dd>
          </Fragment>
        ))}
        <CopyPair name={labels.id} value={message.id} />
      </dl>
    </section>
  );
}

/** Returns how a message came: by a session, by a request, or in a way that left an envelope at most. */
function wayOf(
  { metadata }: Message,
  { session, hasTranscript }: MessageTrace,
): keyof typeof pageStrings.delivery.titles {
  if (session === null) return hasTranscript ? "http" : metadata.mailFrom === null ? "none" : "envelope";
  if (session.protocol.startsWith("HTTP")) return "http";
  return session.protocol.includes("LMTP") ? "lmtp" : "smtp";
}

type Session = MessageTrace["session"];
type Pair = readonly [name: string, value: string];

function pairsOfSession(session: NonNullable<Session>): readonly Pair[] {
  const { ehlo, clientAddress, protocol, tls, auth, authenticatedAs } = session;
  const labels = pageStrings.delivery;
  return [
    ...(ehlo === null ? [] : [[labels.ehlo, ehlo] as const]),
    [labels.client, clientAddress],
    [labels.protocol, protocol],
    [labels.tls, tls ?? labels.clear],
    [labels.auth, authenticatedAs ?? auth?.user ?? labels.anonymous],
  ];
}

function pairsOfDelivery({ status, attempts, lastError }: NonNullable<Message["delivery"]>): readonly Pair[] {
  const labels = pageStrings.delivery;
  const state: Pair = [labels.state, labels.states(status, attempts)];
  return lastError === null ? [state] : [state, [labels.lastError, lastError]];
}

function CopyPair({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd className={layout.row}>
        <code>{value}</code>
        <CopyButton text={value} name={name} />
      </dd>
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
        <CopyPair name={labels.id} value={id} />
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
    <Table
      label={labels.title}
      heads={[labels.request, labels.resource, labels.status, labels.duration, labels.outcome]}
    >
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
    </Table>
  );
}
