import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useIdleServers, useProtectServer } from "../api/usage.ts";
import { Link } from "../navigation/location.tsx";
import { inboxPath } from "../navigation/routes.ts";
import { pageStrings } from "../page-strings.ts";
import { useNow } from "../shared/age.tsx";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { SelectField } from "../shared/field.tsx";
import { formatBytes, formatInstant } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import type { ServerUsage } from "../wire.ts";

const choices = ["7", "30", "90", "180", "365"] as const;
/** Rows that are shown; the download has all. */
const shownCountMax = 100;

/** Servers without traffic, with their owners and when the rule for idle servers removes them. */
export function IdleServersPanel(): ReactElement {
  const [days, setDays] = useState<(typeof choices)[number]>("30");
  const { data, error, refetch } = useIdleServers(Number(days));
  const labels = pageStrings.usage.idle;
  const options = choices.map((choice) => [choice, labels.days(Number(choice))] as const);
  return (
    <Panel className={layout.stack}>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <h2>{labels.title}</h2>
        <div className={layout.push}>
          <SelectField label={labels.choice} value={days} options={options} onChange={setDays} />
        </div>
      </div>
      <p className={layout.soft}>{labels.lead}</p>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className={layout.faint}>{labels.none}</p>}
      {data !== undefined && data.length > 0 && (
        <Table
          label={labels.title}
          heads={[labels.server, labels.owner, labels.traffic, labels.stored, labels.removal, ""]}
        >
          {data.slice(0, shownCountMax).map((row) => (
            <IdleRow key={row.server} row={row} />
          ))}
        </Table>
      )}
      {data !== undefined && data.length > shownCountMax && <p className={layout.faint}>{labels.more(data.length)}</p>}
    </Panel>
  );
}

function IdleRow({ row }: { readonly row: ServerUsage }): ReactElement {
  const { server, name, teamName, managers, lastTrafficAt, idleDays, messages, storedBytes } = row;
  const { isProtected, isKept, removedAt } = row;
  const protect = useProtectServer(server);
  const now = useNow();
  const labels = pageStrings.usage.idle;
  return (
    <tr>
      <th scope="row">
        <Link href={inboxPath(server)}>{name}</Link>
      </th>
      <td className={layout.anywhere} data-label={labels.owner}>
        {labels.owners(teamName, managers)}
      </td>
      <td className={layout.line} data-label={labels.traffic}>
        <time dateTime={lastTrafficAt} title={formatInstant(lastTrafficAt)}>
          {labels.days(idleDays)}
        </time>
      </td>
      <td className={layout.line} data-label={labels.stored}>
        {pageStrings.usage.storedNow(messages, formatBytes(storedBytes), null)}
      </td>
      <td data-label={labels.removal} className={clsx(removedAt !== null && layout.bad)}>
        {removedAt === null
          ? labels.stays(isProtected, isKept)
          : labels.removed(removedAt.slice(0, 10), Date.parse(removedAt) <= now)}
      </td>
      <td>
        {!isKept && (
          <Button
            variant="quiet"
            disabled={protect.isPending}
            aria-label={labels.protectName(name, isProtected)}
            onClick={() => {
              protect.mutate(!isProtected);
            }}
          >
            {labels.protect(isProtected)}
          </Button>
        )}
        {protect.error !== null && <ErrorNotice error={protect.error} />}
      </td>
    </tr>
  );
}
