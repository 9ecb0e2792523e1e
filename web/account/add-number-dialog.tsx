import { useState, type ReactElement } from "react";
import { useAddNumber } from "../api/sending-permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSmsProviders } from "../api/session.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field, SelectField } from "../shared/field.tsx";
import { showToast } from "../shared/toast.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import { strings } from "../strings.ts";
import type { NumberRequest } from "../wire.ts";

/** What is typed; "" for what is left out. */
interface Draft {
  readonly number: string;
  readonly server: string;
  readonly provider: string;
  readonly webhook: string;
  readonly secret: string;
}

const noDraft: Draft = { number: "", server: "", provider: "", webhook: "", secret: "" };

/** Asks for a number and its server, and adds it. */
export function AddNumberDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [draft, setDraft] = useState(noDraft);
  const { data: servers = [] } = useServers();
  const { mutate, error, isPending } = useAddNumber();
  const words = strings.numbers;
  const server = draft.server === "" ? (servers[0]?.id ?? "") : draft.server;
  const smsProviders = useSmsProviders();
  const provider = draft.provider === "" ? (smsProviders[0]?.name ?? "") : draft.provider;
  const submit = (): void => {
    mutate(requestOf({ ...draft, server, provider }), {
      onSuccess: ({ number }) => {
        onClose();
        showToast({ text: words.added(number) });
      },
    });
  };
  return (
    <Dialog title={words.add} onClose={onClose}>
      <Form className="stack" onSubmit={submit}>
        <TextFields draft={{ ...draft, provider }} onChange={setDraft}>
          <SelectField
            label={words.server}
            value={server}
            options={servers.map(({ id, name }) => [id, name])}
            onChange={(chosen) => {
              setDraft({ ...draft, server: chosen });
            }}
          />
        </TextFields>
        <FormActions label={words.submit} error={error} isPending={isPending} onClose={onClose} />
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
  const words = strings.numbers;
  const smsProviders = useSmsProviders();
  const chosen = smsProviders.find(({ name }) => name === draft.provider);
  const field = (name: "number" | "webhook" | "secret"): Parameters<typeof Field>[0] => ({
    label: words[name],
    placeholder: name === "secret" ? "" : words[`${name}Hint`],
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
        label={words.provider}
        value={draft.provider}
        options={smsProviders.map(({ name, label }) => [name, label])}
        onChange={(provider) => {
          onChange({ ...draft, provider });
        }}
      />
      <div className="stack tight">
        <Field {...field("secret")} />
        {chosen !== undefined && <p className="faint small">{words.secretHint(chosen.label, chosen.signingSecret)}</p>}
      </div>
    </>
  );
}

function requestOf({ number, server, provider, webhook, secret }: Draft): NumberRequest {
  return { number, server, provider, ...(webhook !== "" && { webhook }), ...(secret !== "" && { secret }) };
}
