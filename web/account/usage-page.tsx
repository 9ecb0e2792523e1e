import { clsx } from "clsx";
import { Fragment, type ReactElement, useState } from "react";
import { useIdleServers, useProtectServer, useUsage } from "../api/account.ts";
import { usePermissions } from "../api/permissions.ts";
import { Link } from "../navigation/location.tsx";
import { inboxPath } from "../navigation/routes.ts";
import { pageStrings } from "../page-strings.ts";
import { useNow } from "../shared/age.tsx";
import { Button } from "../shared/button.tsx";
import { SelectField } from "../shared/field.tsx";
import { formatBytes, formatInstant } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { Page, Panel } from "../shared/page.tsx";
import tableStyles from "../shared/table.module.css";
import { Table } from "../shared/table.tsx";
import type { ServerUsage, UsageLimits, UsageTransaction } from "../wire.ts";
import { TeamUsagePanel } from "./team-usage.tsx";
import styles from "./usage-page.module.css";

/** Limit that stands for none. */
const unlimited = 2_147_483_647;

/** Usage by team and month, and idle servers; for the account also its limits, and messages stored per day. */
export function UsagePage(): ReactElement {
  const { isAccount } = usePermissions();
  const labels = pageStrings.usage;
  return (
    <Page title={labels.title} lead={labels.lead}>
      {isAccount ? <AccountUsage /> : <TeamsUsage />}
    </Page>
  );
}

function TeamsUsage(): ReactElement {
  return (
    <>
      <TeamUsagePanel />
      <IdleServersPanel />
    </>
  );
}

function AccountUsage(): ReactElement {
  const { data, error, refetch } = useUsage();
  return (
    <>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <Limits limits={data.limits} />
          <TeamsUsage />
          <Panel className={layout.stack}>
            <h2>{pageStrings.usage.days}</h2>
            <DayTable days={data.days} />
          </Panel>
        </>
      )}
    </>
  );
}

const limitNames = ["servers", "email", "sms"] as const;

/** Limits of the account with what is in use; nothing without any. */
function Limits({ limits }: { readonly limits: UsageLimits }): ReactElement | null {
  const labels = pageStrings.usage;
  const limited = limitNames.filter((name) => limits[name].limit !== unlimited);
  if (limited.length === 0) return null;
  return (
    <Panel className={layout.stack}>
      <h2>{labels.limits}</h2>
      <dl className={tableStyles.pairs}>
        {limited.map((name) => {
          const { current, limit } = limits[name];
          return (
            <Fragment key={name}>
              <dt>{labels.resources[name]}</dt>
              <dd className={clsx(current >= limit && layout.bad)}>{labels.used(current, limit)}</dd>
            </Fragment>
          );
        })}
      </dl>
    </Panel>
  );
}

function DayTable({ days }: { readonly days: readonly UsageTransaction[] }): ReactElement {
  const most = Math.max(...days.map(({ email, sms }) => email + sms), 1);
  const labels = pageStrings.usage;
  return (
    <table className={tableStyles.table}>
      <thead>
        <tr>
          <th scope="col">{labels.day}</th>
          <th scope="col" className={tableStyles.number}>
            {labels.email}
          </th>
          <th scope="col" className={tableStyles.number}>
            {labels.sms}
          </th>
          <th aria-hidden className={styles.chart} />
        </tr>
      </thead>
      <tbody>
        {days.map(({ timestamp, email, sms }) => (
          <tr key={timestamp}>
            <th scope="row">
              <time dateTime={timestamp}>{timestamp.slice(0, 10)}</time>
            </th>
            <td className={tableStyles.number}>{email.toLocaleString("en")}</td>
            <td className={tableStyles.number}>{sms.toLocaleString("en")}</td>
            <td aria-hidden className={styles.chart}>
              <div className={styles.bar} style={{ width: `${(((email + sms) / most) * 100).toString()}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const choices = ["7", "30", "90", "180", "365"] as const;
/** Rows that are shown; the download has all. */
const shownCountMax = 100;

/** Servers without traffic, with their owners and when the rule for idle servers removes them. */
function IdleServersPanel(): ReactElement {
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
            onClick={() => protect.mutate(!isProtected)}
          >
            {labels.protect(isProtected)}
          </Button>
        )}
        {protect.error !== null && <ErrorNotice error={protect.error} />}
      </td>
    </tr>
  );
}
