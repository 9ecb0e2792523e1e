import { clsx } from "clsx";
import { History } from "lucide-react";
import type { ReactElement } from "react";
import { useAudit } from "../api/account.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { formatDay } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { EmptyState, Page, Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import { pageStrings } from "../page-strings.ts";
import type { AuditEntry } from "../wire.ts";

const labels = pageStrings.audit;

/** The audit log, newest first. */
export function AuditPage(): ReactElement {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useAudit();
  const entries = data?.pages.flat() ?? [];
  return (
    <Page title={labels.title} lead={labels.lead}>
      <Panel className={layout.stack}>
        {error !== null && <ErrorNotice error={error} />}
        {data !== undefined && entries.length === 0 && (
          <EmptyState icon={History} text={labels.none} hint={labels.noneHint} />
        )}
        {entries.length > 0 && <Entries entries={entries} />}
        {hasNextPage && (
          <div>
            <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
              {labels.more}
            </Button>
          </div>
        )}
      </Panel>
    </Page>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }): ReactElement {
  return (
    <Table heads={[labels.at, labels.who, labels.from, labels.action, labels.target, labels.details]}>
      {entries.map((entry) => (
        <Row key={entry.id} entry={entry} />
      ))}
    </Table>
  );
}

function Row({ entry }: { readonly entry: AuditEntry }): ReactElement {
  const { at, by, key: keyId, name, email, clientAddress, action, target, details } = entry;
  return (
    <tr>
      <td className={layout.line} data-label={labels.at}>
        {formatDay(at)}
      </td>
      <td data-label={labels.who} title={keyId ?? undefined}>
        {email != null && <div>{email}</div>}
        {(email == null || keyId !== null) && labels.actors[by](name === null || name === "" ? (keyId ?? "") : name)}
      </td>
      <td className={layout.mono} data-label={labels.from}>
        {clientAddress}
      </td>
      <td className={layout.mono} data-label={labels.action}>
        {action}
      </td>
      <td className={clsx(layout.mono, layout.anywhere)} data-label={labels.target}>
        {target}
      </td>
      <td className={clsx(layout.mono, layout.anywhere)} data-label={labels.details}>
        {Object.entries(details)
          .map(([member, value]) => `${member}: ${String(value)}`)
          .join("; ")}
      </td>
    </tr>
  );
}
