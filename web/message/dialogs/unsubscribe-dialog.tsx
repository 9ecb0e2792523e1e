import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useUnsubscribe } from "../../api/sending.ts";
import badgeStyles from "../../shared/badge.module.css";
import { CheckField } from "../../shared/field.tsx";
import { FormDialog } from "../../shared/form.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { UnsubscribeReport } from "../../wire.ts";

const labels = pageStrings.unsubscribe;

/** Dialog that sends the one-click request of a message, and shows the verdict. */
export function UnsubscribeDialog(props: { readonly id: string; readonly onClose: () => void }): ReactElement {
  const { id, onClose } = props;
  const { mutate, data: report, error, isPending } = useUnsubscribe(id);
  const [requiresDkim, setRequiresDkim] = useState(false);
  return (
    <FormDialog
      title={labels.title}
      lead={labels.lead}
      label={labels.submit}
      request={{ error: error, isPending }}
      onSubmit={() => mutate({ requireDkim: requiresDkim })}
      onClose={onClose}
    >
      <CheckField label={labels.requireDkim} value={requiresDkim} onChange={setRequiresDkim} />
      {report !== undefined && <Verdict report={report} />}
    </FormDialog>
  );
}

function Verdict({ report }: { readonly report: UnsubscribeReport }): ReactElement {
  const { ok, url, response, checks } = report;
  return (
    <div className={clsx(layout.stack, layout.tight)} role="status">
      <p>{ok ? labels.passed : labels.failed}</p>
      {url !== null && <code className={layout.anywhere}>{url}</code>}
      {response !== null && <p className={layout.faint}>{labels.response(response.status, response.durationMs)}</p>}
      <ul className={clsx(layout.stack, layout.tight)}>
        {checks.map(({ name, result, text }) => (
          <li key={name} className={clsx(layout.row, layout.wrap)}>
            <span className={clsx(badgeStyles.badge, result === "fail" && badgeStyles.warn)}>
              {labels.results[result]}
            </span>
            <code>{name}</code>
            <span className={layout.anywhere}>{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
