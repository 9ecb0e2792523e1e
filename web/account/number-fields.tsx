import { clsx } from "clsx";
import type { ComponentProps, ReactElement } from "react";
import { useSmsProviders } from "../api/session.ts";
import { Field, SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { PhoneNumber, Server, Session } from "../wire.ts";
import type { NumberDraft } from "./number-draft.ts";

interface FieldsProps {
  /** Null for a new one. */
  readonly number: PhoneNumber | null;
  readonly draft: NumberDraft;
  readonly onChange: (draft: NumberDraft) => void;
}

type TextName = Exclude<keyof NumberDraft, "removesSecret" | "removesAccount">;

/** Fields of a phone number. Credentials of an existing one are not shown; empty fields leave them as they are. */
export function NumberFields(props: FieldsProps & { readonly servers: readonly Server[] }): ReactElement {
  const { number, draft, servers, onChange } = props;
  const labels = pageStrings.numbers;
  const smsProviders = useSmsProviders();
  const provider = smsProviders.find(({ name }) => name === draft.provider);
  return (
    <>
      {number === null && (
        <Field
          {...textField(props, "number")}
          label={labels.number}
          type="tel"
          placeholder={labels.numberHint}
          required
        />
      )}
      <SelectField
        label={labels.server}
        value={draft.server}
        options={servers.map(({ id, name }) => [id, name])}
        onChange={(server) => {
          onChange({ ...draft, server });
        }}
      />
      <Field {...textField(props, "webhook")} label={labels.webhook} type="url" placeholder={labels.webhookHint} />
      <SelectField
        label={labels.provider}
        value={draft.provider}
        options={smsProviders.map(({ name, label }) => [name, label])}
        onChange={(name) => {
          onChange({ ...draft, provider: name });
        }}
      />
      {provider !== undefined && <SecretField {...props} provider={provider} />}
      {provider !== undefined && <AccountFields {...props} provider={provider} />}
    </>
  );
}

type ProviderProps = FieldsProps & { readonly provider: Session["smsProviders"][number] };

function SecretField(props: ProviderProps): ReactElement {
  const { number, draft, onChange, provider } = props;
  const labels = pageStrings.numbers;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <Field
        {...textField(props, "secret")}
        label={number?.signed === true ? labels.newSecret : labels.secret}
        disabled={draft.removesSecret}
      />
      <p className={clsx(layout.faint, layout.small)}>{labels.secretHint(provider.label, provider.signingSecret)}</p>
      {number?.signed === true && (
        <Checkbox
          label={labels.removeSecret}
          isChecked={draft.removesSecret}
          onChange={(removesSecret) => {
            onChange({ ...draft, removesSecret });
          }}
        />
      )}
    </div>
  );
}

/** Account of the provider that sends replies to SMS from real phones. */
function AccountFields(props: ProviderProps): ReactElement {
  const { number, draft, onChange, provider } = props;
  const { id, key, secret } = provider.account;
  const labels = pageStrings.numbers;
  const isDisabled = draft.removesAccount;
  return (
    <details>
      <summary>{number?.sends === true ? labels.newAccount : labels.account}</summary>
      <div className={layout.stack}>
        <p className={clsx(layout.faint, layout.small)}>{labels.accountLead(provider.label)}</p>
        <Field {...textField(props, "accountId")} label={labels.credential(id)} disabled={isDisabled} />
        {key !== null && (
          <Field {...textField(props, "accountKey")} label={labels.optional(key)} disabled={isDisabled} />
        )}
        <Field {...textField(props, "accountSecret")} label={labels.credential(secret)} disabled={isDisabled} />
        <Field {...textField(props, "apiUrl")} label={labels.apiUrl} type="url" disabled={isDisabled} />
        {number?.sends === true && (
          <Checkbox
            label={labels.removeAccount}
            isChecked={draft.removesAccount}
            onChange={(removesAccount) => {
              onChange({ ...draft, removesAccount });
            }}
          />
        )}
      </div>
    </details>
  );
}

function textField(
  { draft, onChange }: FieldsProps,
  name: TextName,
): Pick<ComponentProps<"input">, "value" | "onChange"> {
  return {
    value: draft[name],
    onChange: (event) => {
      onChange({ ...draft, [name]: event.target.value });
    },
  };
}

function Checkbox(props: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}): ReactElement {
  const { label, isChecked, onChange } = props;
  return (
    <label className={layout.row}>
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => {
          onChange(event.target.checked);
        }}
      />
      <span>{label}</span>
    </label>
  );
}
