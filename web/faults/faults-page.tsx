import { Plus } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useClearFaults, useFaults } from "../api/faults.ts";
import { usePermissions } from "../api/permissions.ts";
import { Button } from "../shared/button.tsx";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { Page, Panel } from "../shared/page.tsx";
import { pageStrings } from "../page-strings.ts";
import { AddFaultDialog } from "./add-fault-dialog.tsx";
import { HeldPanel } from "./held-panel.tsx";
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
  const [dialog, setDialog] = useState<"add" | "clear" | null>(null);
  const { mutate: clear, error: clearError } = useClearFaults(server);
  const labels = pageStrings.faults;
  const close = (): void => {
    setDialog(null);
  };
  return (
    <>
      <Panel className={layout.stack}>
        {error !== null && <ErrorNotice error={error} />}
        {faults?.length === 0 && <p className={layout.faint}>{labels.none}</p>}
        {faults !== undefined && faults.length > 0 && <FaultTable server={server} faults={faults} />}
        {canManage && faults !== undefined && (
          <div className={layout.row}>
            <Button
              onClick={() => {
                setDialog("add");
              }}
            >
              <Plus size={15} aria-hidden />
              {labels.add}
            </Button>
            {faults.length > 0 && (
              <Button
                onClick={() => {
                  setDialog("clear");
                }}
              >
                {labels.clear}
              </Button>
            )}
          </div>
        )}
      </Panel>
      {dialog === "add" && <AddFaultDialog server={server} faults={faults ?? []} onClose={close} />}
      {dialog === "clear" && (
        <ConfirmDialog
          title={labels.clearTitle}
          lead={labels.clearLead}
          label={labels.clearSubmit}
          error={clearError}
          onClose={close}
          onConfirm={() => {
            clear(undefined, { onSuccess: close });
          }}
        />
      )}
    </>
  );
}
