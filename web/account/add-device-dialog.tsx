import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useAddDevice } from "../api/devices.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field } from "../shared/field.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";

/** Dialog that creates a virtual authenticator from a secret or an otpauth URI. */
export function AddDeviceDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
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
