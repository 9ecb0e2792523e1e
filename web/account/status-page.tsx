import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useDisk, useStatus } from "../api/status.ts";
import { ErrorNotice } from "../shared/notice.tsx";
import { formatBytes, formatDay } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import tableStyles from "../shared/table.module.css";
import { strings } from "../strings.ts";
import type { ServiceStatus } from "../wire.ts";

const labels = strings.status;

type Task = ServiceStatus["tasks"][number];

/** State of the service in three lines, and of every background task on request. */
export function StatusPage(): ReactElement {
  const { data, error, refetch } = useStatus();
  return (
    <Page title={labels.title} lead={labels.lead}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <Panel>
            <Summary tasks={data.tasks} />
          </Panel>
          <details open={data.tasks.some(({ state }) => state === "failing")}>
            <summary>{labels.tasks(data.tasks.length)}</summary>
            <TaskTable tasks={data.tasks} />
          </details>
        </>
      )}
    </Page>
  );
}

/** Tasks that deliver what leaves the service; all others concern what arrives and is read. */
const outgoing: ReadonlySet<string> = new Set(["outbox", "callback_deliveries", "callbacks", "delivery_reports"]);

/** Mail in, mail out, and the disk. */
function Summary({ tasks }: { readonly tasks: readonly Task[] }): ReactElement {
  const { data: disk } = useDisk();
  const waitingCount = tasks.find(({ task }) => task === "outbox")?.backlog ?? 0;
  const isOut = ({ task }: Task): boolean => outgoing.has(task);
  return (
    <dl className={tableStyles.pairs}>
      <Line name={labels.mailIn} tasks={tasks.filter((task) => !isOut(task))} text={labels.works} />
      <Line name={labels.mailOut} tasks={tasks.filter(isOut)} text={labels.worksWaiting(waitingCount)} />
      <dt>{labels.disk}</dt>
      <dd>
        {disk !== undefined && (disk.freeBytes === null ? labels.elsewhere : labels.free(formatBytes(disk.freeBytes)))}
      </dd>
    </dl>
  );
}

/** A line with the effects of its failing tasks, or else a text. */
function Line(props: { readonly name: string; readonly tasks: readonly Task[]; readonly text: string }): ReactElement {
  const { name, tasks, text } = props;
  const effects = tasks.flatMap(({ degrades }) => (degrades === null ? [] : [degrades]));
  return (
    <>
      <dt>{name}</dt>
      <dd className={clsx(effects.length > 0 && layout.bad)}>
        {effects.length === 0 ? text : `${strings.status.degraded}: ${effects.join("; ")}.`}
      </dd>
    </>
  );
}

function TaskTable({ tasks }: { readonly tasks: readonly Task[] }): ReactElement {
  return (
    <Panel>
      <Table heads={[labels.task, labels.state, labels.backlog, labels.lastSuccess, labels.lastFailure]}>
        {tasks.map((task) => (
          <Row key={task.task} {...task} />
        ))}
      </Table>
    </Panel>
  );
}

function Row({ task, state, backlog, lastSuccess, lastFailure }: Task): ReactElement {
  const failure = lastFailure === null ? "" : `${formatDay(lastFailure.at)}: ${lastFailure.reason}`;
  return (
    <tr>
      <th scope="row" className={layout.mono}>
        {task}
      </th>
      <td>{labels.states[state]}</td>
      <td data-label={labels.backlog}>{backlog}</td>
      <td data-label={labels.lastSuccess}>{lastSuccess !== null && formatDay(lastSuccess)}</td>
      <td data-label={labels.lastFailure}>{failure}</td>
    </tr>
  );
}
