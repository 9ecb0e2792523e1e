import { clsx } from "clsx";
import { type ReactElement, useState } from "react";
import { useAddNumber, useReceiveSms, useRemoveNumber, useUpdateNumber } from "../api/sending.ts";
import { useServers } from "../api/servers.ts";
import { useSmsProviders } from "../api/session.ts";
import { navigate } from "../navigation/location.tsx";
import { routePath } from "../navigation/routes.ts";
import { pageStrings } from "../page-strings.ts";
import { CheckField, Field, fieldsOf, SelectField, TextAreaField } from "../shared/field.tsx";
import { ConfirmDialog, FormDialog, whenDone } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import type { NumberChange, NumberRequest, PhoneNumber, Server, Session } from "../wire.ts";

const labels = pageStrings.numbers;
const smsLabels = pageStrings.receiveSms;

/** Dialog that assigns a new phone number to a server or, with `number`, changes that one. */
export function SaveNumberDialog(props: {
  readonly number: PhoneNumber | null;
  readonly onClose: () => void;
}): ReactElement {
  const { number, onClose } = props;
  const [draft, setDraft] = useState(() => draftOf(number));
  const { data: servers = [] } = useServers();
  const [provider] = useSmsProviders();
  const add = useAddNumber();
  const update = useUpdateNumber();
  const shown = {
    ...draft,
    server: draft.server === "" ? (servers[0]?.id ?? "") : draft.server,
    provider: draft.provider === "" ? (provider?.name ?? "") : draft.provider,
  };
  const submit = (): void => {
    if (number === null) {
      const added = whenDone((one: PhoneNumber) => labels.added(one.number), onClose);
      add.mutate(requestOf(shown), added);
    } else {
      update.mutate({ id: number.id, change: changeOf(shown) }, whenDone(labels.saved(number.number), onClose));
    }
  };
  return (
    <FormDialog
      title={number === null ? labels.add : labels.editTitle(number.number)}
      label={number === null ? labels.submit : labels.save}
      request={{ error: add.error ?? update.error, isPending: add.isPending || update.isPending }}
      onSubmit={submit}
      onClose={onClose}
    >
      <NumberFields number={number} draft={shown} servers={servers} onChange={setDraft} />
    </FormDialog>
  );
}

/** Dialog that stores an SMS as if an application had sent it to a number. */
export function ReceiveSmsDialog(props: { readonly to: string; readonly onClose: () => void }): ReactElement {
  const { onClose } = props;
  const [from, setFrom] = useState(smsLabels.fromDefault);
  const [to, setTo] = useState(props.to);
  const [text, setText] = useState(smsLabels.textDefault);
  const request = useReceiveSms();
  const submit = (): void => {
    request.mutate(
      { from, to, text },
      {
        onSuccess: ({ id, server }) => {
          onClose();
          const run = (): void => navigate(routePath({ kind: "mail", server, message: id, tab: null }));
          showToast({ text: smsLabels.done, action: { label: smsLabels.show, run } });
        },
      },
    );
  };
  return (
    <FormDialog
      title={smsLabels.title}
      lead={smsLabels.lead}
      label={smsLabels.submit}
      request={request}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={smsLabels.from} required value={from} onChange={setFrom} />
      <Field label={smsLabels.to} type="tel" required value={to} onChange={setTo} />
      <TextAreaField label={smsLabels.text} required maxLength={1600} rows={3} value={text} onChange={setText} />
    </FormDialog>
  );
}

/** Dialog that confirms the removal of a phone number. */
export function RemoveNumberDialog({
  number,
  onClose,
}: {
  readonly number: PhoneNumber;
  readonly onClose: () => void;
}): ReactElement {
  const action = useRemoveNumber();
  return (
    <ConfirmDialog
      title={labels.removeTitle(number.number)}
      lead={labels.removeLead}
      label={labels.remove}
      action={action}
      input={number.id}
      done={labels.removed}
      onClose={onClose}
    />
  );
}

interface FieldsProps {
  /** Null for a new one. */
  readonly number: PhoneNumber | null;
  readonly draft: NumberDraft;
  readonly onChange: (draft: NumberDraft) => void;
}

/** Fields of a phone number. Credentials of an existing one are not shown; empty fields leave them as they are. */
function NumberFields(props: FieldsProps & { readonly servers: readonly Server[] }): ReactElement {
  const { number, draft, servers, onChange } = props;
  const field = fieldsOf(draft, onChange);
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

/** Values of the form of a phone number; "" for fields that are left out or, of credentials, stay as they are. */
interface NumberDraft {
  readonly number: string;
  readonly server: string;
  readonly provider: string;
  readonly webhook: string;
  readonly secret: string;
  readonly removesSecret: boolean;
  readonly accountId: string;
  readonly accountKey: string;
  readonly accountSecret: string;
  readonly apiUrl: string;
  readonly removesAccount: boolean;
}

const empty: NumberDraft = {
  number: "",
  server: "",
  provider: "",
  webhook: "",
  secret: "",
  removesSecret: false,
  accountId: "",
  accountKey: "",
  accountSecret: "",
  apiUrl: "",
  removesAccount: false,
};

/** Returns the draft of a number, or of a new one for null. */
function draftOf(number: PhoneNumber | null): NumberDraft {
  if (number === null) return empty;
  const { server, provider, webhook } = number;
  return { ...empty, number: number.number, server, provider, webhook: webhook ?? "" };
}

/** Returns the request that adds the number of a draft. */
function requestOf(draft: NumberDraft): NumberRequest {
  const { number, server, provider, webhook, secret } = draft;
  return {
    number,
    server,
    provider,
    ...(webhook !== "" && { webhook }),
    ...(secret !== "" && { secret }),
    ...(hasAccount(draft) && { account: accountOf(draft) }),
  };
}

/** Returns the changes of a draft; credentials that are neither entered nor removed are absent, so that they stay. */
function changeOf(draft: NumberDraft): NumberChange {
  const { server, provider, webhook, secret, removesSecret, removesAccount } = draft;
  return {
    server,
    provider,
    webhook: webhook === "" ? null : webhook,
    ...(removesSecret ? { secret: null } : secret !== "" && { secret }),
    ...(removesAccount ? { account: null } : hasAccount(draft) && { account: accountOf(draft) }),
  };
}

function hasAccount({ accountId, accountKey, accountSecret, apiUrl }: NumberDraft): boolean {
  return [accountId, accountKey, accountSecret, apiUrl].some((text) => text !== "");
}

function accountOf(draft: NumberDraft): NonNullable<NumberRequest["account"]> {
  const { accountId: id, accountKey: key, accountSecret: secret, apiUrl } = draft;
  // The service names the required fields that are missing.
  const fields = Object.entries({ id, key, secret, apiUrl }).filter(([, text]) => text !== "");
  return Object.fromEntries(fields);
}
