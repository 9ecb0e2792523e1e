/** Reports about one mail. */
import type { ReactElement } from "react";
import { Link } from "../../navigation/location.tsx";
import type { MessageTab } from "../../navigation/routes.ts";
import { formatInstant } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { DeliveryReport, DispositionReport, FeedbackReport, ReportedMail } from "../../wire-reports.ts";
import { ReportSection, ReportTable, Result } from "./report-section.tsx";

const labels = pageStrings.report;

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
