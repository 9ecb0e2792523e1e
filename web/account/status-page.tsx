import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useStatus } from "../api/status.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { formatDay } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import pageStyles from "../shared/page.module.css";
import { Page } from "../shared/page.tsx";
import tableStyles from "../shared/table.module.css";
import { strings } from "../strings.ts";
import type { ServiceStatus } from "../wire.ts";
import { DegradedNotice } from "./degraded-notice.tsx";

type Task = ServiceStatus["tasks"][number];

/** State of every background task of the service. */
export function StatusPage(): ReactElement {
  const { data, error, refetch } = useStatus();
  const labels = strings.status;
  return (
    <Page title={labels.title} lead={labels.lead}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <DegradedNotice hasLink={false} />
      {data !== undefined && (
        <section className={clsx(pageStyles.panel, tableStyles.wideContent)}>
          <table className={tableStyles.table}>
            <thead>
              <tr>
                {[labels.task, labels.state, labels.backlog, labels.lastSuccess, labels.lastFailure].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.tasks.map((task) => (
                <Row key={task.task} {...task} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Page>
  );
}

function Row({ task, state, backlog, lastSuccess, lastFailure }: Task): ReactElement {
  const labels = strings.status;
  const failure = lastFailure === null ? labels.never : `${formatDay(lastFailure.at)}: ${lastFailure.reason}`;
  return (
    <tr>
      <th scope="row" className={layout.mono}>
        {task}
      </th>
      <td>{labels.states[state]}</td>
      <td data-label={labels.backlog}>{backlog ?? labels.never}</td>
      <td data-label={labels.lastSuccess}>{lastSuccess === null ? labels.never : formatDay(lastSuccess)}</td>
      <td data-label={labels.lastFailure}>{failure}</td>
    </tr>
  );
}
