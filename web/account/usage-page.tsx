import { clsx } from "clsx";
import { Fragment, type ReactElement } from "react";
import { usePermissions } from "../api/permissions.ts";
import { useUsage } from "../api/usage.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import type { UsageLimits, UsageTransaction } from "../wire.ts";
import { IdleServersPanel } from "./idle-servers.tsx";
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
