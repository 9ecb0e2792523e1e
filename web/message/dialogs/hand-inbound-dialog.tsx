import { useState, type ReactElement } from "react";
import { useHandInbound, useTargets } from "../../api/callbacks.ts";
import { Link } from "../../navigation/location.tsx";
import { routePath } from "../../navigation/routes.ts";
import { Dialog } from "../../shared/dialog.tsx";
import { optionsOf, SelectField } from "../../shared/field.tsx";
import { FormDialog } from "../../shared/form.tsx";
import { showToast } from "../../shared/toast.tsx";
import { pageStrings } from "../../page-strings.ts";
import type { HandInboundRequest, Message } from "../../wire.ts";

type Variant = NonNullable<HandInboundRequest["variants"]>[number];

/** Dialog that passes the message to the application by an inbound route. */
export function HandInboundDialog(props: { readonly message: Message; readonly onClose: () => void }): ReactElement {
  const { message, onClose } = props;
  const { data: routes } = useTargets(message.server, "inbound-routes");
  const request = useHandInbound(message.server, message.id);
  const [chosen, setChosen] = useState("");
  const [variant, setVariant] = useState<Variant | "">("");
  const labels = pageStrings.webhooks;
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
    request.mutate(
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
