import { useState, type ReactElement } from "react";
import { useClearFaults, useFaults, useHeld } from "../api/faults.ts";
import { usePermissions } from "../api/permissions.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { DialogButton } from "../shared/dialog-button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { formatBytes, formatInstant } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { Cards, Page, Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";
import { Table } from "../shared/table.tsx";
import type { Fault, HeldMessage } from "../wire.ts";
import { AddFaultDialog, templateNames, type FaultTemplate } from "./add-fault-dialog.tsx";
import { FaultTable } from "./fault-table.tsx";

/** Fault rules of a server, with their counts. */
export function FaultsPage({ server }: { readonly server: string }): ReactElement {
  const { title, lead } = pageStrings.faults;
  return (
    <Page title={title} lead={lead}>
      <FaultsPanel server={server} />
      <HeldPanel server={server} />
    </Page>
  );
}

/** Fault rules of the whole service, with their counts. */
export function ServiceFaultsPage(): ReactElement {
  const { title, lead } = pageStrings["service-faults"];
  return (
    <Page title={title} lead={lead}>
      <FaultsPanel server={null} />
    </Page>
  );
}

function FaultsPanel({ server }: { readonly server: string | null }): ReactElement {
  const { data: faults, error } = useFaults(server);
  const { canManage } = usePermissions();
  return (
    <>
      {canManage && faults !== undefined && <Templates server={server} faults={faults} />}
      {error !== null && <ErrorNotice error={error} />}
      {faults !== undefined && faults.length > 0 && (
        <Panel className={layout.stack}>
          <FaultTable server={server} faults={faults} />
          {canManage && faults.length > 1 && <ClearButton server={server} />}
        </Panel>
      )}
    </>
  );
}

/** Cards that add a rule from a template. */
function Templates(props: { readonly server: string | null; readonly faults: readonly Fault[] }): ReactElement {
  const [chosen, setChosen] = useState<FaultTemplate | null>(null);
  const labels = pageStrings.faults;
  const cards = templateNames.map((name) => ({
    name: labels.templates[name],
    text: labels.templateHints[name],
    onSelect: () => {
      setChosen(name);
    },
  }));
  return (
    <>
      <Cards label={labels.add} cards={cards} />
      {chosen !== null && (
        <AddFaultDialog
          {...props}
          initial={chosen}
          onClose={() => {
            setChosen(null);
          }}
        />
      )}
    </>
  );
}

function ClearButton({ server }: { readonly server: string | null }): ReactElement {
  const action = useClearFaults(server);
  const labels = pageStrings.faults;
  return (
    <div>
      <DialogButton label={labels.clear}>
        {(close) => (
          <ConfirmDialog
            title={labels.clearTitle}
            lead={labels.clearLead}
            label={labels.clearSubmit}
            action={action}
            input={undefined}
            onClose={close}
          />
        )}
      </DialogButton>
    </div>
  );
}

/** Messages of a server that are accepted and not visible yet; nothing without any. */
function HeldPanel({ server }: { readonly server: string }): ReactElement | null {
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
    <Table label={labels.title} heads={[labels.visibleAt, labels.from, labels.to, labels.rules, labels.size]}>
      {held.map((one) => (
        <tr key={one.id}>
          <td>{one.error ?? visibilityOf(one)}</td>
          <td className={layout.anywhere}>{one.from}</td>
          <td className={layout.anywhere}>{recipientsOf(one)}</td>
          <td className={layout.anywhere}>{one.faults.join(", ")}</td>
          <td>{formatBytes(one.sizeBytes)}</td>
        </tr>
      ))}
    </Table>
  );
}

function visibilityOf({ visibleAt, scanAt }: HeldMessage): string {
  if (scanAt === null) return formatInstant(visibleAt);
  return pageStrings.held.scanned(formatInstant(scanAt), formatInstant(visibleAt));
}

function recipientsOf({ to, recipients }: HeldMessage): string {
  return recipients > to.length ? pageStrings.held.more(to.join(", "), recipients - to.length) : to.join(", ");
}
