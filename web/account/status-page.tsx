import type { ReactElement } from "react";
import { useStatus } from "../api/status.ts";
import { formatDay } from "../shared/format.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { ServiceStatus } from "../wire.ts";
import { Page } from "../shared/page.tsx";
import { DegradedNotice } from "./degraded-notice.tsx";

type Task = ServiceStatus["tasks"][number];

/** State of every background task. */
export function StatusPage(): ReactElement {
  const { data, error } = useStatus();
  const words = strings.status;
  return (
    <Page title={words.title} lead={words.lead}>
      {error !== null && <ErrorNotice error={error} />}
      <DegradedNotice hasLink={false} />
      {data !== undefined && (
        <section className="panel wide-content">
          <table className="table">
            <thead>
              <tr>
                {[words.task, words.state, words.backlog, words.lastSuccess, words.lastFailure].map((name) => (
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
  const words = strings.status;
  const failure = lastFailure === null ? words.never : `${formatDay(lastFailure.at)}: ${lastFailure.reason}`;
  return (
    <tr>
      <th scope="row" className="mono">
        {task}
      </th>
      <td>{words.states[state]}</td>
      <td>{backlog ?? words.never}</td>
      <td>{lastSuccess === null ? words.never : formatDay(lastSuccess)}</td>
      <td>{failure}</td>
    </tr>
  );
}
