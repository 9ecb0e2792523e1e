import { clsx } from "clsx";
import { Download } from "lucide-react";
import { useState, type ReactElement } from "react";
import { usePermissions } from "../api/permissions.ts";
import { fetchUsageCsv, useTeamUsage, useUpdateTeamLimits } from "../api/account.ts";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { DialogButton } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { Field, fieldsOf, SelectField } from "../shared/field.tsx";
import { FormDialog, parseLimit } from "../shared/form.tsx";
import { formatBytes } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import { showError } from "../shared/toast.tsx";
import type { TeamLimits, TeamUsage } from "../wire.ts";

const monthCount = 13;

/** Usage of each team in a month, with their limits, and its download. */
export function TeamUsagePanel(): ReactElement {
  const [months] = useState(lastMonths);
  const [month, setMonth] = useState(months[0]?.[0] ?? "");
  const { data, error, refetch } = useTeamUsage(month);
  const labels = pageStrings.usage;
  return (
    <Panel className={layout.stack}>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <h2>{labels.month}</h2>
        <div className={clsx(layout.row, layout.wrap, layout.ends, layout.push)}>
          <SelectField label={labels.monthChoice} value={month} options={months} onChange={setMonth} />
          <Button onClick={() => void saveCsv("teams", month)}>
            <Download size={15} aria-hidden />
            {labels.csv}
          </Button>
          <Button onClick={() => void saveCsv("servers", month)}>
            <Download size={15} aria-hidden />
            {labels.serverCsv}
          </Button>
        </div>
      </div>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <TeamTable teams={data} />}
    </Panel>
  );
}

/** Returns the last months, this one first, with their names. Months are in UTC, as the service counts them. */
function lastMonths(): readonly (readonly [month: string, name: string])[] {
  const now = new Date();
  return Array.from({ length: monthCount }, (_, age) => {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - age));
    const name = first.toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
    return [first.toISOString().slice(0, 7), name];
  });
}

/** Saves the CSV of a month; shows a toast when that fails. */
async function saveCsv(kind: "teams" | "servers", month: string): Promise<void> {
  try {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await fetchUsageCsv(kind, month));
    link.download = `usage-${kind}-${month}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    showError(error);
  }
}

function TeamTable({ teams }: { readonly teams: readonly TeamUsage[] }): ReactElement {
  const labels = pageStrings.usage;
  const heads = [labels.team, labels.email, labels.sms, labels.bytes, labels.outbound, labels.stored];
  const isAlone = teams.length === 1;
  const mayLimit = usePermissions().isAccount && !isAlone;
  return (
    <Table label={labels.month} heads={mayLimit ? [...heads, ""] : heads}>
      {teams.map((row) => (
        <tr key={row.team}>
          <th scope="row">{row.team === null ? labels.noTeam(isAlone) : (row.name ?? labels.removedTeam(row.team))}</th>
          <td data-label={labels.email}>{row.email.toLocaleString("en")}</td>
          <td data-label={labels.sms}>{row.sms.toLocaleString("en")}</td>
          <td data-label={labels.bytes}>{formatBytes(row.bytes)}</td>
          <td data-label={labels.outbound}>{row.outbound.toLocaleString("en")}</td>
          <td data-label={labels.stored}>
            <Stored usage={row} />
          </td>
          {mayLimit && <td>{row.team !== null && row.name !== null && <LimitsButton usage={row} />}</td>}
        </tr>
      ))}
    </Table>
  );
}

function Stored({ usage }: { readonly usage: TeamUsage }): ReactElement {
  const { messages, storedBytes, limits } = usage;
  const isFull = messages >= (limits.messagesMax ?? Infinity) || storedBytes >= (limits.bytesMax ?? Infinity);
  const max = limits.bytesMax === null ? null : formatBytes(limits.bytesMax);
  return (
    <span className={clsx(isFull && layout.bad)}>
      {pageStrings.usage.storedNow(messages, formatBytes(storedBytes), max)}
      {isFull && ` ${pageStrings.usage.full}`}
    </span>
  );
}

function LimitsButton({ usage }: { readonly usage: TeamUsage }): ReactElement {
  const { team, name, limits } = usage;
  const labels = pageStrings.usage.teamLimits;
  return (
    <DialogButton label={labels.edit} variant="quiet">
      {(close) => <LimitsDialog team={team ?? ""} name={name ?? ""} limits={limits} onClose={close} />}
    </DialogButton>
  );
}

/** Numbers of a limit that 1 in its field stands for, and its least value. */
const units: Readonly<Record<keyof TeamLimits, readonly [unit: number, least: number]>> = {
  messagesMax: [1, 1],
  bytesMax: [1024 * 1024, 1],
  ageSecondsMax: [86_400, 1],
  emailsPerDayMax: [1, 1],
  smsPerDayMax: [1, 1],
  outboundPerHourMax: [1, 0],
};
const limitNames = Object.keys(units) as readonly (keyof TeamLimits)[];

/** Dialog with the limits of a team, which are empty where there is none. */
function LimitsDialog(props: {
  readonly team: string;
  readonly name: string;
  readonly limits: TeamLimits;
  readonly onClose: () => void;
}): ReactElement {
  const { team, name, limits, onClose } = props;
  const labels = pageStrings.usage.teamLimits;
  const update = useUpdateTeamLimits(team);
  const [draft, setDraft] = useState(() => eachLimit((limit) => shownLimit(limits[limit], units[limit][0])));
  const field = fieldsOf(draft, setDraft);
  const parsed = eachLimit((limit) => parseLimit(draft[limit], ...units[limit]));
  const wrong = limitNames.some((limit) => parsed[limit] === undefined);
  return (
    <FormDialog
      title={labels.title(name)}
      lead={labels.lead}
      label={labels.save}
      request={update}
      onClose={onClose}
      onSubmit={() => {
        if (!wrong) update.mutate(parsed as TeamLimits, { onSuccess: onClose });
      }}
    >
      {limitNames.map((limit) => (
        <Field key={limit} label={labels.names[limit]} inputMode="decimal" {...field(limit)} />
      ))}
      {wrong && <p className={layout.bad}>{labels.wrong}</p>}
    </FormDialog>
  );
}

function eachLimit<Value>(valueOf: (limit: keyof TeamLimits) => Value): Record<keyof TeamLimits, Value> {
  return Object.fromEntries(limitNames.map((limit) => [limit, valueOf(limit)])) as Record<keyof TeamLimits, Value>;
}

function shownLimit(limit: number | null, unit: number): string {
  return limit === null ? "" : String(limit / unit);
}
