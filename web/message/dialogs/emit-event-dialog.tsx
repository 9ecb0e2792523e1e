import { useState, type ReactElement } from "react";
import { useCallbackFormats, useEmitEvents } from "../../api/callbacks.ts";
import { Field, optionsOf, SelectField } from "../../shared/field.tsx";
import { FormDialog } from "../../shared/form.tsx";
import { showToast } from "../../shared/toast.tsx";
import { pageStrings } from "../../page-strings.ts";
import type { EventRequest, Message } from "../../wire.ts";

type EventType = NonNullable<EventRequest["type"]>;
type Variant = NonNullable<EventRequest["variants"]>[number];

/** Dialog that emits an event of the provider through which the message came. */
export function EmitEventDialog(props: { readonly message: Message; readonly onClose: () => void }): ReactElement {
  const { message, onClose } = props;
  const { data: formats, error: formatsError } = useCallbackFormats();
  const { mutate, error, isPending } = useEmitEvents(message.server, message.id);
  const [type, setType] = useState<EventType>("bounced");
  const [reason, setReason] = useState("");
  const [variant, setVariant] = useState<Variant | "">("");
  const labels = pageStrings.webhooks;
  const types = formats?.events.find(({ name }) => name === message.provider?.name)?.events ?? [];
  const submit = (): void => {
    const fields = { type, ...(reason !== "" && { reason }), ...(variant !== "" && { variants: [variant] }) };
    mutate(fields, {
      onSuccess: () => {
        onClose();
        showToast({ text: labels.emitted });
      },
    });
  };
  return (
    <FormDialog
      title={labels.emitTitle}
      lead={labels.emitLead}
      label={labels.emitSubmit}
      request={{ error: error ?? formatsError, isPending }}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label={labels.emitType}
        value={type}
        options={types.map((one) => [one, labels.emitTypes[one]])}
        onChange={setType}
      />
      <Field
        label={labels.reason}
        placeholder={pageStrings.simulatedReply.diagnosticHint}
        value={reason}
        onChange={setReason}
      />
      <SelectField label={labels.variant} value={variant} options={optionsOf(labels.variants)} onChange={setVariant} />
    </FormDialog>
  );
}
