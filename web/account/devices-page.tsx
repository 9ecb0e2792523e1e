import { clsx } from "clsx";
import { Plus, ShieldCheck } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useDevices, useOneTimePassword, useRemoveDevice, useAddDevice } from "../api/devices.ts";
import { usePermissions } from "../api/permissions.ts";
import { useNow } from "../shared/age.tsx";
import { Button } from "../shared/button.tsx";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { CodeChip } from "../shared/copy.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field } from "../shared/field.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { EmptyState, Page, Panel } from "../shared/page.tsx";
import tableStyles from "../shared/table.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { Device } from "../wire.ts";

/** Virtual authenticators with their current one-time passwords. */
export function DevicesPage(): ReactElement {
  const { data: devices, error, refetch } = useDevices();
  const { canManage } = usePermissions();
  const [isAdding, setAdding] = useState(false);
  const labels = pageStrings.devices;
  return (
    <Page title={labels.title} lead={labels.lead}>
      <Panel className={layout.stack}>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {devices?.length === 0 && <EmptyState icon={ShieldCheck} text={labels.none} hint={labels.noneHint} />}
        {devices !== undefined && devices.length > 0 && <DeviceTable devices={devices} canManage={canManage} />}
        {canManage && (
          <div>
            <Button
              onClick={() => {
                setAdding(true);
              }}
            >
              <Plus size={15} aria-hidden />
              {labels.add}
            </Button>
          </div>
        )}
      </Panel>
      {isAdding && (
        <AddDeviceDialog
          onClose={() => {
            setAdding(false);
          }}
        />
      )}
    </Page>
  );
}

function DeviceTable(props: { readonly devices: readonly Device[]; readonly canManage: boolean }): ReactElement {
  const { devices, canManage } = props;
  const [removed, setRemoved] = useState<Device | null>(null);
  const labels = pageStrings.devices;
  return (
    <div className={tableStyles.wideContent}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">{labels.name}</th>
            <th scope="col">{labels.code}</th>
            {canManage && <th aria-hidden />}
          </tr>
        </thead>
        <tbody>
          {devices.map((device) => (
            <tr key={device.id}>
              <td>{device.name}</td>
              <td>
                <LiveCode device={device.id} />
              </td>
              {canManage && (
                <td className={tableStyles.number}>
                  <Button
                    variant="danger"
                    onClick={() => {
                      setRemoved(device);
                    }}
                  >
                    {labels.remove}
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {removed !== null && (
        <RemoveDeviceDialog
          device={removed}
          onClose={() => {
            setRemoved(null);
          }}
        />
      )}
    </div>
  );
}

/** Current one-time password of a device, with the seconds until the next one. */
function LiveCode({ device }: { readonly device: string }): ReactElement {
  const { data, error } = useOneTimePassword(device);
  const now = useNow();
  const labels = pageStrings.devices;
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
  const { mutate, error } = useRemoveDevice();
  const labels = pageStrings.devices;
  const onSuccess = (): void => {
    onClose();
    showToast({ text: labels.removed });
  };
  return (
    <ConfirmDialog
      title={labels.removeTitle(device.name)}
      lead={labels.removeLead}
      label={labels.remove}
      error={error}
      onClose={onClose}
      onConfirm={() => {
        mutate(device.id, { onSuccess });
      }}
    />
  );
}

/** Dialog that creates a virtual authenticator from a secret or an otpauth URI. */
function AddDeviceDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [name, setName] = useState("");
  const [secret, setSecret] = useState("");
  const { mutate, error, isPending } = useAddDevice();
  const labels = pageStrings.devices;
  // A URI has a label, which is then the name.
  const isUri = secret.trim().toLowerCase().startsWith("otpauth:");
  const submit = (): void => {
    const request = { sharedSecret: secret.trim(), ...(name.trim() !== "" && { name: name.trim() }) };
    mutate(request, {
      onSuccess: (device) => {
        onClose();
        showToast({ text: labels.added(device.name) });
      },
    });
  };
  return (
    <Dialog title={labels.add} onClose={onClose}>
      <Form className={layout.stack} onSubmit={submit}>
        <div className={clsx(layout.stack, layout.tight)}>
          <Field
            label={labels.secret}
            required
            placeholder={labels.secretHint}
            value={secret}
            onChange={(event) => {
              setSecret(event.target.value);
            }}
          />
          <p className={clsx(layout.faint, layout.small)}>{labels.secretLead}</p>
        </div>
        <Field
          label={isUri ? labels.optionalName : labels.name}
          required={!isUri}
          maxLength={200}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        <FormActions label={labels.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
