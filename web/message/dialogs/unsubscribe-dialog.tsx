import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useUnsubscribe } from "../../api/unsubscribe.ts";
import badgeStyles from "../../shared/badge.module.css";
import { Dialog } from "../../shared/dialog.tsx";
import { Form, FormActions } from "../../shared/form.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { UnsubscribeReport } from "../../wire.ts";

/** Dialog that sends the one-click request of a message, and shows the verdict. */
export function UnsubscribeDialog(props: { readonly id: string; readonly onClose: () => void }): ReactElement {
  const { id, onClose } = props;
  const { mutate, data: report, error, isPending } = useUnsubscribe(id);
  const [requiresDkim, setRequiresDkim] = useState(false);
  const labels = pageStrings.unsubscribe;
  return (
    <Dialog title={labels.title} onClose={onClose}>
      <Form
        className={layout.stack}
        onSubmit={() => {
          mutate({ requireDkim: requiresDkim });
        }}
      >
        <p className={layout.soft}>{labels.lead}</p>
        <label className={layout.row}>
          <input
            type="checkbox"
            checked={requiresDkim}
            onChange={(event) => {
              setRequiresDkim(event.target.checked);
            }}
          />
          <span>{labels.requireDkim}</span>
        </label>
        {report !== undefined && <Verdict report={report} />}
        <FormActions label={labels.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function Verdict({ report }: { readonly report: UnsubscribeReport }): ReactElement {
  const { ok, url, response, checks } = report;
  const labels = pageStrings.unsubscribe;
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
