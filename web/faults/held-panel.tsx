import type { ReactElement } from "react";
import { useHeld } from "../api/faults.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { formatBytes, formatInstant } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { Panel } from "../shared/page.tsx";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import type { HeldMessage } from "../wire.ts";

/** Messages of a server that are accepted and not visible yet; nothing without any. */
export function HeldPanel({ server }: { readonly server: string }): ReactElement | null {
  const { data: held, error } = useHeld(server);
  const labels = pageStrings.held;
  if (error === null && (held === undefined || held.length === 0)) return null;
  return (
    <Panel className={layout.stack}>
      <h2>{labels.title}</h2>
      <p className={layout.soft}>{labels.lead}</p>
      {error !== null && <ErrorNotice error={error} />}
      {held !== undefined && <HeldTable held={held} />}
    </Panel>
  );
}

function HeldTable({ held }: { readonly held: readonly HeldMessage[] }): ReactElement {
  const labels = pageStrings.held;
  return (
    <div className={tableStyles.wideContent}>
      <table className={tableStyles.table} aria-label={labels.title}>
        <thead>
          <tr>
            <th scope="col">{labels.visibleAt}</th>
            <th scope="col">{labels.from}</th>
            <th scope="col">{labels.to}</th>
            <th scope="col">{labels.rules}</th>
            <th scope="col">{labels.size}</th>
          </tr>
        </thead>
        <tbody>
          {held.map((one) => (
            <tr key={one.id}>
              <td>{one.error ?? visibilityOf(one)}</td>
              <td className={layout.anywhere}>{one.from}</td>
              <td className={layout.anywhere}>{recipientsOf(one)}</td>
              <td className={layout.anywhere}>{one.faults.join(", ")}</td>
              <td>{formatBytes(one.sizeBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function visibilityOf({ visibleAt, scanAt }: HeldMessage): string {
  if (scanAt === null) return formatInstant(visibleAt);
  return pageStrings.held.scanned(formatInstant(scanAt), formatInstant(visibleAt));
}

function recipientsOf({ to, recipients }: HeldMessage): string {
  return recipients > to.length ? pageStrings.held.more(to.join(", "), recipients - to.length) : to.join(", ");
}
