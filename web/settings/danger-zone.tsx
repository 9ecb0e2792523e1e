import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useDeleteServer, useEmptyServer } from "../api/servers.ts";
import { useSetZone, useZone } from "../api/zone.ts";
import { navigate } from "../navigation/location.tsx";
import { Button } from "../shared/button.tsx";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { TextAreaField } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Server, DnsZone } from "../wire.ts";
import { SettingsSection } from "./settings-section.tsx";

type OpenDialog = "empty" | "remove" | null;

/** Actions that delete the messages of a server or the server itself. */
export function DangerZone(props: { readonly server: Server; readonly canDelete: boolean }): ReactElement {
  const { server, canDelete } = props;
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const labels = pageStrings.settings;
  const openDialog = (opened: OpenDialog) => () => {
    setDialog(opened);
  };
  return (
    <div className={layout.stack}>
      <h2>{labels.danger}</h2>
      <DangerRow lead={labels.emptyLead(server.messages)} label={labels.empty} onOpen={openDialog("empty")} />
      {canDelete && <DangerRow lead={labels.removeLead} label={labels.remove} onOpen={openDialog("remove")} />}
      {dialog === "empty" && <EmptyDialog server={server} onClose={openDialog(null)} />}
      {dialog === "remove" && <RemoveDialog server={server} onClose={openDialog(null)} />}
    </div>
  );
}

interface ServerDialogProps {
  readonly server: Server;
  readonly onClose: () => void;
}

function EmptyDialog({ server, onClose }: ServerDialogProps): ReactElement {
  const action = useEmptyServer(server.id);
  const labels = pageStrings.settings;
  return (
    <ConfirmDialog
      title={labels.empty}
      lead={labels.emptyLead(server.messages)}
      label={labels.empty}
      action={action}
      input={undefined}
      done={labels.emptied}
      onClose={onClose}
    />
  );
}

function RemoveDialog({ server, onClose }: ServerDialogProps): ReactElement {
  const action = useDeleteServer(server.id);
  const labels = pageStrings.settings;
  return (
    <ConfirmDialog
      title={labels.remove}
      lead={labels.removeLead}
      label={labels.remove}
      typed={server.name}
      action={action}
      input={undefined}
      done={() => {
        navigate("/");
      }}
      onClose={onClose}
    />
  );
}

function DangerRow(props: {
  readonly lead: string;
  readonly label: string;
  readonly onOpen: () => void;
}): ReactElement {
  const { lead, label, onOpen } = props;
  return (
    <div className={clsx(layout.row, layout.wrap)}>
      <p className={clsx(layout.soft, layout.fill)}>{lead}</p>
      <Button variant="danger" onClick={onOpen}>
        {label}
      </Button>
    </div>
  );
}

/** Form for the DNS zone that checks of a server's mail use instead of DNS. */
export function ZoneForm({ server }: { readonly server: string }): ReactElement {
  const { data: zone, error } = useZone(server);
  const labels = pageStrings.zone;
  return (
    <SettingsSection title={labels.title} lead={labels.lead} error={error}>
      {zone !== undefined && <Fields key={zone?.zone ?? ""} server={server} zone={zone} />}
    </SettingsSection>
  );
}

function Fields({ server, zone }: { readonly server: string; readonly zone: DnsZone | null }): ReactElement {
  const [text, setText] = useState(zone?.zone ?? "");
  const { mutate, error, isPending } = useSetZone(server);
  const labels = pageStrings.zone;
  const save = (changed: string | null, done: string): void => {
    mutate(changed, { onSuccess: () => showToast({ text: done }) });
  };
  return (
    <Form
      className={layout.stack}
      onSubmit={() => {
        save(text, pageStrings.settings.saved);
      }}
    >
      <p className={layout.faint}>{zone === null ? labels.none : labels.records(zone.records)}</p>
      <TextAreaField
        label={labels.zone}
        required
        rows={6}
        spellCheck={false}
        placeholder={labels.zoneHint}
        value={text}
        onChange={setText}
      />
      {error !== null && <ErrorNotice error={error} />}
      <div className={layout.row}>
        <Button type="submit" disabled={isPending || text.trim() === "" || text === zone?.zone}>
          {pageStrings.settings.save}
        </Button>
        {zone !== null && (
          <Button
            variant="danger"
            disabled={isPending}
            onClick={() => {
              save(null, labels.removed);
            }}
          >
            {labels.remove}
          </Button>
        )}
      </div>
    </Form>
  );
}
