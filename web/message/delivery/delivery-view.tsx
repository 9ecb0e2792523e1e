import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useScan } from "../../api/checks.ts";
import { useMessageTrace, useTranscript } from "../../api/messages.ts";
import { useProviderLabel } from "../../api/session.ts";
import { pageStrings } from "../../page-strings.ts";
import { addressOf, formatPreciseInstant } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import { ErrorNotice } from "../../shared/notice.tsx";
import tableStyles from "../../shared/table.module.css";
import { CopyPair, type Pair, Pairs, Table } from "../../shared/table.tsx";
import type { Message, MessageTrace, ProviderOrigin, Scan, Transcript } from "../../wire.ts";
import styles from "../message-pane.module.css";
import transcriptViewStyles from "./transcript-view.module.css";

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
    [labels.envelopeFrom, mailFrom === "" ? labels.nullSender : mailFrom],
    ...rcptTo.map((contact): Pair => [labels.envelopeTo, addressOf(contact)]),
    ...(session === null ? [] : pairsOfSession(session)),
    ...(message.delivery === undefined ? [] : pairsOfDelivery(message.delivery)),
    [labels.accepted, accepted === undefined ? null : formatPreciseInstant(accepted)],
    ...faults.map(({ rule, stage }): Pair => [labels.fault, `${rule} (${stage})`]),
  ];
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.titles[wayOf(message, trace)]}</h3>
      {session !== null && !trace.hasTranscript && <p className={layout.faint}>{pageStrings.transcript.none}</p>}
      <dl className={tableStyles.pairs}>
        <Pairs className={layout.mono} pairs={pairs} />
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

function pairsOfSession(session: NonNullable<Session>): readonly Pair[] {
  const { ehlo, clientAddress, protocol, tls, auth, authenticatedAs } = session;
  const labels = pageStrings.delivery;
  return [
    [labels.ehlo, ehlo],
    [labels.client, clientAddress],
    [labels.protocol, protocol],
    [labels.tls, tls ?? labels.clear],
    [labels.auth, authenticatedAs ?? auth?.user ?? labels.anonymous],
  ];
}

function pairsOfDelivery({ status, attempts, lastError }: NonNullable<Message["delivery"]>): readonly Pair[] {
  const labels = pageStrings.delivery;
  return [
    [labels.state, labels.states(status, attempts)],
    [labels.lastError, lastError],
  ];
}

/** Facts of the provider's API about a message: id, schedule, tags, metadata and template. */
function ProviderView({ provider }: { readonly provider: ProviderOrigin }): ReactElement {
  const { name, id, scheduledAt, tags, metadata, template } = provider;
  const labels = pageStrings.provider;
  const pairs: readonly Pair[] = [
    [labels.scheduledAt, scheduledAt === null ? null : formatPreciseInstant(scheduledAt)],
    [labels.tags, tags.join(", ") || null],
    ...Object.entries(metadata),
    [labels.template, template?.id ?? null],
  ];
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.title(useProviderLabel(name))}</h3>
      <dl className={tableStyles.pairs}>
        <CopyPair name={labels.id} value={id} />
        <Pairs className={layout.mono} pairs={pairs} />
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

/** Recorded SMTP session or HTTP request that delivered a message, with the times of its lines. */
function TranscriptView({ id }: { readonly id: string }): ReactElement {
  const { data, error } = useTranscript(id);
  const labels = pageStrings.transcript;
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.title}</h3>
      {error !== null && <ErrorNotice error={error} />}
      {data !== undefined && (
        <pre className={transcriptViewStyles.transcript}>{data.entries.map(lineOf).join("\n")}</pre>
      )}
    </section>
  );
}

function lineOf({ at, from, text, pipelined }: Transcript["entries"][number]): string {
  const speaker = pipelined ? "C+" : { client: "C:", server: "S:", service: "* " }[from];
  return `${String(at).padStart(6)} ms  ${speaker} ${text}`;
}
