import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useAddNumber } from "../api/sending-permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSmsProviders } from "../api/session.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field, SelectField } from "../shared/field.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { NumberRequest } from "../wire.ts";

/** Values of the form; "" for optional fields that are left out. */
interface Draft {
  readonly number: string;
  readonly server: string;
  readonly provider: string;
  readonly webhook: string;
  readonly secret: string;
}

const noDraft: Draft = { number: "", server: "", provider: "", webhook: "", secret: "" };

/** Dialog that assigns a new phone number to a server. */
export function AddNumberDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [draft, setDraft] = useState(noDraft);
  const { data: servers = [] } = useServers();
  const { mutate, error, isPending } = useAddNumber();
  const labels = strings.numbers;
  const server = draft.server === "" ? (servers[0]?.id ?? "") : draft.server;
  const smsProviders = useSmsProviders();
  const provider = draft.provider === "" ? (smsProviders[0]?.name ?? "") : draft.provider;
  const submit = (): void => {
    mutate(requestOf({ ...draft, server, provider }), {
      onSuccess: ({ number }) => {
        onClose();
        showToast({ text: labels.added(number) });
      },
    });
  };
  return (
    <Dialog title={labels.add} onClose={onClose}>
      <Form className={layout.stack} onSubmit={submit}>
        <TextFields draft={{ ...draft, provider }} onChange={setDraft}>
          <SelectField
            label={labels.server}
            value={server}
            options={servers.map(({ id, name }) => [id, name])}
            onChange={(chosen) => {
              setDraft({ ...draft, server: chosen });
            }}
          />
        </TextFields>
        <FormActions label={labels.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function TextFields(props: {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly children: ReactElement;
}): ReactElement {
  const { draft, onChange, children } = props;
  const labels = strings.numbers;
  const smsProviders = useSmsProviders();
  const chosen = smsProviders.find(({ name }) => name === draft.provider);
  const field = (name: "number" | "webhook" | "secret"): Parameters<typeof Field>[0] => ({
    label: labels[name],
    placeholder: name === "secret" ? "" : labels[`${name}Hint`],
    value: draft[name],
    onChange: (event) => {
      onChange({ ...draft, [name]: event.target.value });
    },
  });
  return (
    <>
      <Field {...field("number")} type="tel" required />
      {children}
      <Field {...field("webhook")} type="url" />
      <SelectField
        label={labels.provider}
        value={draft.provider}
        options={smsProviders.map(({ name, label }) => [name, label])}
        onChange={(provider) => {
          onChange({ ...draft, provider });
        }}
      />
      <div className={clsx(layout.stack, layout.tight)}>
        <Field {...field("secret")} />
        {chosen !== undefined && (
          <p className={clsx(layout.faint, layout.small)}>{labels.secretHint(chosen.label, chosen.signingSecret)}</p>
        )}
      </div>
    </>
  );
}

function requestOf({ number, server, provider, webhook, secret }: Draft): NumberRequest {
  return { number, server, provider, ...(webhook !== "" && { webhook }), ...(secret !== "" && { secret }) };
}
