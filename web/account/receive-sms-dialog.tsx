import { useState, type ReactElement } from "react";
import { useReceiveSms } from "../api/sending-permissions.ts";
import { navigate } from "../navigation/location.tsx";
import { routePath } from "../navigation/routes.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field, TextAreaField } from "../shared/field.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";

/** Dialog that stores an SMS as if an application had sent it to a number. */
export function ReceiveSmsDialog(props: { readonly to: string; readonly onClose: () => void }): ReactElement {
  const { onClose } = props;
  const labels = pageStrings.receiveSms;
  const [from, setFrom] = useState(labels.fromDefault);
  const [to, setTo] = useState(props.to);
  const [text, setText] = useState(labels.textDefault);
  const { mutate, error, isPending } = useReceiveSms();
  const submit = (): void => {
    mutate(
      { from, to, text },
      {
        onSuccess: ({ id, server }) => {
          onClose();
          const run = (): void => {
            navigate(routePath({ kind: "mail", server, message: id, tab: null }));
          };
          showToast({ text: labels.done, action: { label: labels.show, run } });
        },
      },
    );
  };
  return (
    <Dialog title={labels.title} onClose={onClose}>
      <Form className={layout.stack} onSubmit={submit}>
        <p className={layout.soft}>{labels.lead}</p>
        <Field
          label={labels.from}
          required
          value={from}
          onChange={(event) => {
            setFrom(event.target.value);
          }}
        />
        <Field
          label={labels.to}
          type="tel"
          required
          value={to}
          onChange={(event) => {
            setTo(event.target.value);
          }}
        />
        <TextAreaField label={labels.text} required maxLength={1600} rows={3} value={text} onChange={setText} />
        <FormActions label={labels.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
