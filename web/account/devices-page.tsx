import { clsx } from "clsx";
import { Plus, ShieldCheck } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useDevices, useOneTimePassword, useRemoveDevice, useAddDevice } from "../api/account.ts";
import { usePermissions } from "../api/permissions.ts";
import { useNow } from "../shared/age.tsx";
import { Button } from "../shared/button.tsx";
import { ConfirmDialog, FormDialog, whenDone } from "../shared/form.tsx";
import { CodeChip } from "../shared/copy.tsx";
import { DialogButton } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { Field } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { EmptyState, Page, Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { Device } from "../wire.ts";

const labels = pageStrings.devices;

/** Virtual authenticators with their current one-time passwords. */
export function DevicesPage(): ReactElement {
  const { data: devices, error, refetch } = useDevices();
  const { canManage } = usePermissions();
  return (
    <Page title={labels.title} lead={labels.lead}>
      <Panel className={layout.stack}>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {devices?.length === 0 && <EmptyState icon={ShieldCheck} text={labels.none} hint={labels.noneHint} />}
        {devices !== undefined && devices.length > 0 && <DeviceTable devices={devices} canManage={canManage} />}
        {canManage && (
          <div>
            <DialogButton label={labels.add} icon={Plus}>
              {(close) => <AddDeviceDialog onClose={close} />}
            </DialogButton>
          </div>
        )}
      </Panel>
    </Page>
  );
}

function DeviceTable(props: { readonly devices: readonly Device[]; readonly canManage: boolean }): ReactElement {
  const { devices, canManage } = props;
  const [removed, setRemoved] = useState<Device | null>(null);
  return (
    <>
      <Table heads={[labels.name, labels.code, ...(canManage ? [""] : [])]}>
        {devices.map((device) => (
          <tr key={device.id}>
            <td>{device.name}</td>
            <td>
              <LiveCode device={device.id} />
            </td>
            {canManage && (
              <td className={tableStyles.number}>
                <Button variant="danger" onClick={() => setRemoved(device)}>
                  {labels.remove}
                </Button>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {removed !== null && <RemoveDeviceDialog device={removed} onClose={() => setRemoved(null)} />}
    </>
  );
}

/** Current one-time password of a device, with the seconds until the next one. */
function LiveCode({ device }: { readonly device: string }): ReactElement {
  const { data, error } = useOneTimePassword(device);
  const now = useNow();
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <span className={layout.faint}>{strings.loading}</span>;
  const seconds = Math.ceil((data.expiresAtMs - now) / 1000);
  return (
    <div className={layout.row}>
      <CodeChip code={data.code} isLarge />
      <span className={clsx(layout.faint, layout.small)}>
        {seconds > 0 ? labels.validFor(seconds) : labels.renewing}
      </span>
    </div>
  );
}

function RemoveDeviceDialog(props: { readonly device: Device; readonly onClose: () => void }): ReactElement {
  const { device, onClose } = props;
  const action = useRemoveDevice();
  return (
    <ConfirmDialog
      title={labels.removeTitle(device.name)}
      lead={labels.removeLead}
      label={labels.remove}
      action={action}
      input={device.id}
      done={labels.removed}
      onClose={onClose}
    />
  );
}

/** Dialog that creates a virtual authenticator from a secret or an otpauth URI. */
function AddDeviceDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [name, setName] = useState("");
  const [secret, setSecret] = useState("");
  const request = useAddDevice();
  // A URI has a label, which is then the name.
  const isUri = secret.trim().toLowerCase().startsWith("otpauth:");
  const submit = (): void => {
    const device = { sharedSecret: secret.trim(), ...(name.trim() !== "" && { name: name.trim() }) };
    request.mutate(
      device,
      whenDone((added: Device) => labels.added(added.name), onClose),
    );
  };
  return (
    <FormDialog title={labels.add} label={labels.submit} request={request} onSubmit={submit} onClose={onClose}>
      <div className={clsx(layout.stack, layout.tight)}>
        <Field label={labels.secret} required placeholder={labels.secretHint} value={secret} onChange={setSecret} />
        <p className={clsx(layout.faint, layout.small)}>{labels.secretLead}</p>
      </div>
      <Field
        label={isUri ? labels.optionalName : labels.name}
        required={!isUri}
        maxLength={200}
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}
