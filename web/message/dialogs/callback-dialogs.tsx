import { type ReactElement, useState } from "react";
import { useCallbackFormats, useEmitEvents, useHandInbound, useTargets } from "../../api/callbacks.ts";
import { Link } from "../../navigation/location.tsx";
import { routePath } from "../../navigation/routes.ts";
import { pageStrings } from "../../page-strings.ts";
import { Dialog } from "../../shared/dialog.tsx";
import { Field, optionsOf, SelectField } from "../../shared/field.tsx";
import { FormDialog, whenDone } from "../../shared/form.tsx";
import type { EventRequest, Message } from "../../wire.ts";

const labels = pageStrings.webhooks;

type EventType = NonNullable<EventRequest["type"]>;
type Variant = keyof typeof labels.variants;

/** Dialog that emits an event of the provider through which the message came. */
export function EmitEventDialog(props: { readonly message: Message; readonly onClose: () => void }): ReactElement {
  const { message, onClose } = props;
  const { data: formats, error: formatsError } = useCallbackFormats();
  const { mutate, error, isPending } = useEmitEvents(message.server, message.id);
  const [type, setType] = useState<EventType>("bounced");
  const [reason, setReason] = useState("");
  const [variant, setVariant] = useState<Variant>("");
  const types = formats?.events.find(({ name }) => name === message.provider?.name)?.events ?? [];
  const submit = (): void => {
    const fields = { type, ...(reason !== "" && { reason }), ...(variant !== "" && { variants: [variant] }) };
    mutate(fields, whenDone(labels.emitted, onClose));
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

/** Dialog that passes the message to the application by an inbound route. */
export function HandInboundDialog(props: { readonly message: Message; readonly onClose: () => void }): ReactElement {
  const { message, onClose } = props;
  const { data: routes } = useTargets(message.server, "inbound-routes");
  const request = useHandInbound(message.server, message.id);
  const [chosen, setChosen] = useState("");
  const [variant, setVariant] = useState<Variant>("");
  const route = chosen === "" ? (routes?.[0]?.id ?? "") : chosen;
  if (routes?.length === 0) {
    return (
      <Dialog title={labels.handTitle} onClose={onClose}>
        <p>
          {labels.noRoute} <Link href={routePath({ kind: "webhooks", server: message.server })}>{labels.title}</Link>
        </p>
      </Dialog>
    );
  }
  const submit = (): void => {
    request.mutate({ route, ...(variant !== "" && { variants: [variant] }) }, whenDone(labels.handed, onClose));
  };
  return (
    <FormDialog
      title={labels.handTitle}
      lead={labels.handLead}
      label={labels.emitSubmit}
      request={request}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label={labels.route}
        value={route}
        options={routes?.map(({ id, pattern, shape }) => [id, `${pattern} (${shape})`]) ?? []}
        onChange={setChosen}
      />
      <SelectField label={labels.variant} value={variant} options={optionsOf(labels.variants)} onChange={setVariant} />
    </FormDialog>
  );
}
