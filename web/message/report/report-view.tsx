import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useReports } from "../../api/checks.ts";
import type { MessageTab } from "../../navigation/routes.ts";
import { ErrorNotice } from "../../shared/notice.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import type { MailReports } from "../../wire.ts";
import {
  DeliverySection,
  DispositionSection,
  DmarcSection,
  FeedbackSection,
  OriginalSection,
  TlsSection,
} from "./report-sections.tsx";

/** Reports in an email as tables, and the message that they are about. */
export function ReportView(props: {
  readonly id: string;
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
}): ReactElement {
  const { data, error } = useReports(props.id);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className={layout.faint}>{strings.loading}</p>;
  return (
    <div className={clsx(layout.stack, layout.loose)}>
      {/* oxlint-disable react/no-array-index-key -- reports have no identity but their position */}
      {data.problems.map(({ file, problem }, at) => (
        <p key={at} className={layout.bad} role="status">
          {file === null ? problem : `${file}: ${problem}`}
        </p>
      ))}
      {data.dmarc.map((report, at) => (
        <DmarcSection key={at} report={report} />
      ))}
      {data.tls.map((report, at) => (
        <TlsSection key={at} report={report} />
      ))}
      {data.delivery.map((report, at) => (
        <DeliverySection key={at} report={report} />
      ))}
      {data.feedback.map((report, at) => (
        <FeedbackSection key={at} report={report} />
      ))}
      {data.disposition.map((report, at) => (
        <DispositionSection key={at} report={report} />
      ))}
      {/* oxlint-enable react/no-array-index-key */}
      {data.original !== null && <OriginalSection original={data.original} hrefOf={props.hrefOf} />}
      {isEmpty(data) && <p className={layout.faint}>{pageStrings.report.none}</p>}
    </div>
  );
}

function isEmpty({ dmarc, tls, delivery, feedback, disposition, problems }: MailReports): boolean {
  return [dmarc, tls, delivery, feedback, disposition, problems].every(({ length }) => length === 0);
}
