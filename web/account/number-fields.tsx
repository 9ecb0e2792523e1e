import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useSmsProviders } from "../api/session.ts";
import { CheckField, Field, fieldsOf, SelectField } from "../shared/field.tsx";
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

/** Fields of a phone number. Credentials of an existing one are not shown; empty fields leave them as they are. */
export function NumberFields(props: FieldsProps & { readonly servers: readonly Server[] }): ReactElement {
  const { number, draft, servers, onChange } = props;
  const field = fieldsOf(draft, onChange);
  const labels = pageStrings.numbers;
  const smsProviders = useSmsProviders();
  const provider = smsProviders.find(({ name }) => name === draft.provider);
  return (
    <>
      {number === null && (
        <Field {...field("number")} label={labels.number} type="tel" placeholder={labels.numberHint} required />
      )}
      <SelectField label={labels.server} {...field("server")} options={servers.map(({ id, name }) => [id, name])} />
      <Field {...field("webhook")} label={labels.webhook} type="url" placeholder={labels.webhookHint} />
      <SelectField
        label={labels.provider}
        {...field("provider")}
        options={smsProviders.map(({ name, label }) => [name, label])}
      />
      {provider !== undefined && <SecretField {...props} provider={provider} />}
      {provider !== undefined && <AccountFields {...props} provider={provider} />}
    </>
  );
}

type ProviderProps = FieldsProps & { readonly provider: Session["smsProviders"][number] };

function SecretField(props: ProviderProps): ReactElement {
  const { number, draft, onChange, provider } = props;
  const field = fieldsOf(draft, onChange);
  const labels = pageStrings.numbers;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <Field
        {...field("secret")}
        label={number?.signed === true ? labels.newSecret : labels.secret}
        disabled={draft.removesSecret}
      />
      <p className={clsx(layout.faint, layout.small)}>{labels.secretHint(provider.label, provider.signingSecret)}</p>
      {number?.signed === true && <CheckField label={labels.removeSecret} {...field("removesSecret")} />}
    </div>
  );
}

/** Account of the provider that sends replies to SMS from real phones. */
function AccountFields(props: ProviderProps): ReactElement {
  const { number, draft, onChange, provider } = props;
  const { id, key, secret } = provider.account;
  const field = fieldsOf(draft, onChange);
  const labels = pageStrings.numbers;
  const isDisabled = draft.removesAccount;
  return (
    <details>
      <summary>{number?.sends === true ? labels.newAccount : labels.account}</summary>
      <div className={layout.stack}>
        <p className={clsx(layout.faint, layout.small)}>{labels.accountLead(provider.label)}</p>
        <Field {...field("accountId")} label={labels.credential(id)} disabled={isDisabled} />
        {key !== null && <Field {...field("accountKey")} label={labels.optional(key)} disabled={isDisabled} />}
        <Field {...field("accountSecret")} label={labels.credential(secret)} disabled={isDisabled} />
        <Field {...field("apiUrl")} label={labels.apiUrl} type="url" disabled={isDisabled} />
        {number?.sends === true && <CheckField label={labels.removeAccount} {...field("removesAccount")} />}
      </div>
    </details>
  );
}
