import { useState, type ReactElement } from "react";
import { useHandInbound, useTargets } from "../../api/callbacks.ts";
import { Button } from "../../shared/button.tsx";
import { Dialog } from "../../shared/dialog.tsx";
import { SelectField } from "../../shared/field.tsx";
import { Form, FormActions } from "../../shared/form.tsx";
import layout from "../../shared/layout.module.css";
import { showToast } from "../../shared/toast.tsx";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import type { HandInboundRequest, Message } from "../../wire.ts";

type Variant = NonNullable<HandInboundRequest["variants"]>[number];

/** Dialog that passes the message to the application by an inbound route. */
export function HandInboundDialog(props: { readonly message: Message; readonly onClose: () => void }): ReactElement {
  const { message, onClose } = props;
  const { data: routes } = useTargets(message.server, "inbound-routes");
  const { mutate, error, isPending } = useHandInbound(message.server, message.id);
  const [chosen, setChosen] = useState("");
  const [variant, setVariant] = useState<Variant | "">("");
  const labels = pageStrings.webhooks;
  const route = chosen === "" ? (routes?.[0]?.id ?? "") : chosen;
  if (routes?.length === 0) {
    return (
      <Dialog title={labels.handTitle} onClose={onClose}>
        <p>{labels.noRoute}</p>
        <div>
          <Button onClick={onClose}>{strings.close}</Button>
        </div>
      </Dialog>
    );
  }
  const submit = (): void => {
    mutate(
      { route, ...(variant !== "" && { variants: [variant] }) },
      {
        onSuccess: () => {
          onClose();
          showToast({ text: labels.handed });
        },
      },
    );
  };
  return (
    <Dialog title={labels.handTitle} onClose={onClose}>
      <Form className={layout.stack} onSubmit={submit}>
        <p className={layout.soft}>{labels.handLead}</p>
        <SelectField
          label={labels.route}
          value={route}
          options={routes?.map(({ id, pattern, shape }) => [id, `${pattern} (${shape})`]) ?? []}
          onChange={setChosen}
        />
        <SelectField
          label={labels.variant}
          value={variant}
          options={Object.entries(labels.variants)}
          onChange={(value) => {
            setVariant(value as Variant | "");
          }}
        />
        <FormActions label={labels.emitSubmit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
