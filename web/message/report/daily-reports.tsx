/** Reports about all mail of a period. */
import type { ReactElement } from "react";
import { pageStrings } from "../../page-strings.ts";
import type { DmarcRecord, DmarcReport, TlsReport } from "../../wire-reports.ts";
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
