import { History } from "lucide-react";
import type { ReactElement } from "react";
import { useAudit } from "../api/audit.ts";
import { formatDay } from "../shared/format.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { AuditEntry } from "../wire.ts";
import { Page, EmptyState } from "../shared/page.tsx";

/** The audit log, newest first. */
export function AuditPage(): ReactElement {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useAudit();
  const words = strings.audit;
  const entries = data?.pages.flat() ?? [];
  return (
    <Page title={words.title} lead={words.lead}>
      <section className="panel stack wide-content">
        {error !== null && <ErrorNotice error={error} />}
        {data !== undefined && entries.length === 0 && (
          <EmptyState icon={History} text={words.none} hint={words.noneHint} />
        )}
        {entries.length > 0 && <Entries entries={entries} />}
        {hasNextPage && (
          <div>
            <button type="button" className="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
              {words.more}
            </button>
          </div>
        )}
      </section>
    </Page>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }): ReactElement {
  const words = strings.audit;
  return (
    <table className="table">
      <thead>
        <tr>
          {[words.at, words.who, words.from, words.action, words.target, words.details].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ entry }: { readonly entry: AuditEntry }): ReactElement {
  const { at, by, key: keyId, name, clientAddress, action, target, details } = entry;
  const words = strings.audit;
  return (
    <tr>
      <td>{formatDay(at)}</td>
      <td title={keyId ?? undefined}>{words.actors[by](name === null || name === "" ? (keyId ?? "") : name)}</td>
      <td className="mono">{clientAddress ?? words.nothing}</td>
      <td className="mono">{action}</td>
      <td className="mono">{target ?? words.nothing}</td>
      <td className="mono">
        {Object.entries(details)
          .map(([member, value]) => `${member}: ${String(value)}`)
          .join("; ")}
      </td>
    </tr>
  );
}
