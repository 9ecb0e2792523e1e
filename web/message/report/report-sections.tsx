/** Reports about all mail of a period. */
import type { ReactElement } from "react";
import { Link } from "../../navigation/location.tsx";
import type { MessageTab } from "../../navigation/routes.ts";
import { pageStrings } from "../../page-strings.ts";
import { formatInstant } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import type {
  DeliveryReport,
  DispositionReport,
  DmarcRecord,
  DmarcReport,
  FeedbackReport,
  ReportedMail,
  TlsReport,
} from "../../wire.ts";
import { ReportSection, ReportTable, Result } from "./report-section.tsx";

const labels = pageStrings.report;

/** A DMARC report: the policy, and a row for each kind of messages. */
export function DmarcSection({ report }: { readonly report: DmarcReport }): ReactElement {
  const { policy, counts, records } = report;
  return (
    <ReportSection
      heading={labels.dmarc(report.organization ?? labels.unknown)}
      facts={[
        [labels.domain, policy.domain],
        [labels.period, periodOf(report)],
        [labels.messages, labels.messageCounts(counts)],
        [labels.policy, policyOf(policy)],
        [labels.reportId, report.reportId],
        [labels.contact, [report.email, report.contact].filter((text) => text !== null)],
        [labels.generator, report.generator],
        [labels.errors, report.errors],
      ]}
    >
      <ReportTable
        label={labels.records}
        columns={[labels.source, labels.messages, labels.disposition, "DKIM", "SPF", labels.from, labels.evaluated]}
        rows={records.map((record) => [
          record.sourceIp ?? labels.unknown,
          record.count.toLocaleString("en"),
          <Result key="disposition" text={record.disposition} />,
          <Result key="dkim" text={record.dkim} />,
          <Result key="spf" text={record.spf} />,
          record.headerFrom,
          evaluatedOf(record),
        ])}
        more={counts.records > records.length ? labels.more(counts.records - records.length) : null}
      />
    </ReportSection>
  );
}

/** Returns what the receiver checked, and why it deviated from the policy. */
function evaluatedOf({ dkimResults, spfResults, reasons }: DmarcRecord): string {
  const dkim = dkimResults.map(({ domain, selector, result }) => labels.checked("DKIM", [domain, selector], result));
  const spf = spfResults.map(({ domain, scope, result }) => labels.checked("SPF", [domain, scope], result));
  const why = reasons.map(({ type, comment }) => [type, comment].filter((text) => text !== null).join(": "));
  return [...dkim, ...spf, ...why].join("; ");
}

function policyOf(policy: DmarcReport["policy"]): string {
  const { p, sp, np, adkim, aspf, pct, fo, testing } = policy;
  const tags = Object.entries({ p, sp, np, adkim, aspf, pct, fo, t: testing });
  return tags.flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`])).join("; ");
}

/** A TLS report: a table for each policy. */
export function TlsSection({ report }: { readonly report: TlsReport }): ReactElement {
  const { counts, policies } = report;
  const failures = policies.flatMap(({ domain, failures: own }) => own.map((failure) => ({ ...failure, domain })));
  return (
    <ReportSection
      heading={labels.tls(report.organization ?? labels.unknown)}
      facts={[
        [labels.domain, policies.flatMap(({ domain }) => domain ?? [])],
        [labels.period, periodOf(report)],
        [labels.sessions, labels.sessionCounts(counts)],
        [labels.policy, policies.map(({ type, lines }) => [type ?? labels.unknown, ...lines].join("; "))],
        [labels.reportId, report.reportId],
        [labels.contact, report.contact],
      ]}
    >
      {failures.length > 0 && (
        <ReportTable
          label={labels.failures}
          columns={[labels.failure, labels.sessions, labels.domain, labels.source, labels.host, labels.reason]}
          rows={failures.map((failure) => [
            failure.result ?? labels.unknown,
            failure.count.toLocaleString("en"),
            failure.domain,
            failure.sendingIp,
            [failure.receivingHost, failure.receivingIp].filter((text) => text !== null).join(" "),
            [failure.reason, failure.additional].filter((text) => text !== null).join(", "),
          ])}
          more={counts.policies > policies.length ? labels.more(counts.policies - policies.length) : null}
        />
      )}
    </ReportSection>
  );
}

function periodOf({ begin, end }: Pick<DmarcReport, "begin" | "end">): string | null {
  return begin === null || end === null ? begin : `${instantText(begin)} – ${instantText(end)}`;
}

/** Returns an instant in UTC, the zone of these reports. */
function instantText(instant: string): string {
  return instant.slice(0, 16).replace("T", " ");
}

const timeOf = (instant: string | null): string | null => (instant === null ? null : formatInstant(instant));

/** A delivery status notification: a row for each recipient. */
export function DeliverySection({ report }: { readonly report: DeliveryReport }): ReactElement {
  return (
    <ReportSection
      heading={labels.delivery}
      facts={[
        [labels.reporter, report.reportingMta],
        [labels.receivedFrom, report.receivedFrom],
        [labels.arrived, timeOf(report.arrived)],
        [labels.envelopeId, report.envelopeId],
      ]}
    >
      <ReportTable
        label={labels.recipients}
        columns={[labels.recipient, labels.action, labels.status, labels.reply, labels.host, labels.retriedUntil]}
        rows={report.recipients.map((recipient) => [
          recipient.recipient ?? recipient.originalRecipient ?? labels.unknown,
          <Result key="action" text={recipient.action} />,
          recipient.status,
          recipient.diagnostic,
          recipient.remoteMta,
          timeOf(recipient.retriedUntil),
        ])}
        more={null}
      />
    </ReportSection>
  );
}

/** A complaint, or a failure of authentication. */
export function FeedbackSection({ report }: { readonly report: FeedbackReport }): ReactElement {
  return (
    <ReportSection
      heading={labels.feedback}
      facts={[
        [labels.type, report.type],
        [labels.recipients, report.recipients],
        [labels.sender, report.mailFrom],
        [labels.source, report.sourceIp],
        [labels.arrived, timeOf(report.arrived)],
        [labels.incidents, report.incidents],
        [labels.authenticationFailure, report.authenticationFailure],
        [labels.authenticationResults, report.authenticationResults],
        [labels.action, report.deliveryResult],
        [labels.domain, report.domains],
        [labels.uris, report.uris],
        [labels.reporter, report.reportingMta],
        [labels.generator, report.userAgent],
        ...report.others.map(({ field, value }) => [field, value] as const),
      ]}
    />
  );
}

/** A message disposition notification. */
export function DispositionSection({ report }: { readonly report: DispositionReport }): ReactElement {
  return (
    <ReportSection
      heading={labels.dispositionHeading}
      facts={[
        [labels.disposition, [report.disposition ?? labels.unknown, ...report.modifiers]],
        [labels.recipient, report.recipient ?? report.originalRecipient],
        [labels.mode, report.mode],
        [labels.generator, report.reportingAgent],
        [labels.errors, report.errors],
      ]}
    />
  );
}

/** The mail that the reports are about, with links to it on this server. */
export function OriginalSection(props: {
  readonly original: ReportedMail;
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
}): ReactElement {
  const { original, hrefOf } = props;
  return (
    <ReportSection
      heading={labels.original}
      facts={[
        [labels.subject, original.subject],
        [labels.from, original.from],
        [labels.to, original.to],
        [labels.date, timeOf(original.date)],
        ["Message-ID", original.messageId],
      ]}
    >
      {original.ids.length === 0 ? (
        <p className={layout.faint}>{labels.notHere}</p>
      ) : (
        <ul className={layout.stack}>
          {original.ids.map((id, at) => (
            <li key={id}>
              <Link href={hrefOf(id)}>{labels.open(at, original.ids.length)}</Link>
            </li>
          ))}
        </ul>
      )}
    </ReportSection>
  );
}
