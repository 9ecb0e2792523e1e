import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { memberOf, useCallbackFormats, useSaveTarget, type Target, type TargetCollection } from "../api/callbacks.ts";
import fieldStyles from "../shared/field.module.css";
import { Form, FormActions } from "../shared/form.tsx";
import { Field, SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { CallbackFormat } from "../wire.ts";
import { describeTarget } from "./describe-target.ts";
import { draftOf, requestOf, type TargetDraft } from "./target-draft.ts";
import { hasSecret, TargetSecretDialog } from "./target-secret.tsx";
import { webhookEventNames } from "./webhook-events.ts";

/** Dialog that creates a target or, with one, changes it; shows the secret of a new one. */
export function SaveTargetDialog(props: {
  readonly server: string;
  readonly collection: TargetCollection;
  readonly target: Target | null;
  readonly onClose: () => void;
}): ReactElement {
  const { server, collection, target, onClose } = props;
  const { mutate, data: saved, error, isPending } = useSaveTarget(server, collection);
  const labels = pageStrings.webhooks;
  const { data: formats } = useCallbackFormats();
  const title = target === null ? labels.sections[collection].add : describeTarget(target, formats).name;
  const withSecret = saved !== undefined && target === null && hasSecret(saved) ? saved : undefined;
  return (
    <TargetSecretDialog title={title} target={withSecret} onClose={onClose}>
      {withSecret === undefined && (
        <TargetForm
          collection={collection}
          target={target}
          error={error}
          isPending={isPending}
          onClose={onClose}
          onSubmit={(member, body) => {
            mutate(
              { member, body },
              {
                onSuccess: (result) => {
                  if (target !== null || !hasSecret(result)) onClose();
                },
              },
            );
          }}
        />
      )}
    </TargetSecretDialog>
  );
}

function TargetForm(props: {
  readonly collection: TargetCollection;
  readonly target: Target | null;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onSubmit: (member: string | null, body: Readonly<Record<string, unknown>>) => void;
}): ReactElement {
  const { collection, target, error, isPending, onClose, onSubmit } = props;
  const { data: formats, error: formatsError } = useCallbackFormats();
  const [draft, setDraft] = useState(() => draftOf(target));
  const labels = pageStrings.webhooks;
  const hasEvents = collection === "event-webhooks";
  const known = (hasEvents ? formats?.events : formats?.inbound) ?? [];
  const chosen: TargetDraft = { ...draft, format: draft.format || (known[0]?.name ?? "") };
  return (
    <Form
      className={layout.stack}
      onSubmit={() => {
        onSubmit(memberToSave(collection, chosen, target), requestOf(collection, chosen, target));
      }}
    >
      <AddressFields hasPattern={collection === "inbound-routes"} draft={draft} onChange={setDraft} />
      {collection === "webhooks" ? (
        <WebhookFields draft={draft} onChange={setDraft} />
      ) : (
        <FormatFields
          label={hasEvents ? labels.provider : labels.shape}
          formats={target === null ? known : known.filter(({ name }) => name === chosen.format)}
          draft={chosen}
          onChange={setDraft}
        />
      )}
      <FormActions label={labels.submit} error={error ?? formatsError} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** Returns the last segment of the path that is saved to; null for a target whose id the service makes. */
function memberToSave(collection: TargetCollection, draft: TargetDraft, target: Target | null): string | null {
  if (target !== null) return memberOf(target);
  return collection === "event-webhooks" ? draft.format : null;
}

function AddressFields(props: {
  readonly hasPattern: boolean;
  readonly draft: TargetDraft;
  readonly onChange: (draft: TargetDraft) => void;
}): ReactElement {
  const { hasPattern, draft, onChange } = props;
  const labels = pageStrings.webhooks;
  const field = (name: "pattern" | "url"): Parameters<typeof Field>[0] => ({
    label: labels[name],
    placeholder: labels[`${name}Hint`],
    required: true,
    value: draft[name],
    onChange: (event) => {
      onChange({ ...draft, [name]: event.target.value });
    },
  });
  return (
    <>
      {hasPattern && <Field {...field("pattern")} />}
      <Field {...field("url")} type="url" />
    </>
  );
}

/** Fields of a webhook: description, events and filter. */
function WebhookFields(props: {
  readonly draft: TargetDraft;
  readonly onChange: (draft: TargetDraft) => void;
}): ReactElement {
  const { draft, onChange } = props;
  const labels = pageStrings.webhooks;
  return (
    <>
      <Field
        label={labels.description}
        placeholder={labels.optional}
        maxLength={200}
        value={draft.description}
        onChange={(event) => {
          onChange({ ...draft, description: event.target.value });
        }}
      />
      <fieldset className={fieldStyles.choices}>
        <legend>{labels.events}</legend>
        {webhookEventNames.map((name) => (
          <label key={name} className={layout.row}>
            <input
              type="checkbox"
              className={fieldStyles.checkbox}
              checked={draft.events.includes(name)}
              onChange={({ target }) => {
                const events = webhookEventNames.filter((one) =>
                  one === name ? target.checked : draft.events.includes(one),
                );
                onChange({ ...draft, events });
              }}
            />
            <span className={layout.mono}>{name}</span>
          </label>
        ))}
      </fieldset>
      <SelectField
        label={labels.messageType}
        value={draft.type}
        options={Object.entries(labels.messageTypes)}
        onChange={(type) => {
          onChange({ ...draft, type });
        }}
      />
      <Field
        label={labels.recipient}
        placeholder={labels.recipientHint}
        value={draft.recipient}
        onChange={(event) => {
          onChange({ ...draft, recipient: event.target.value });
        }}
      />
    </>
  );
}

/** Choice of a provider or format, and its settings. */
function FormatFields(props: {
  readonly label: string;
  readonly formats: readonly CallbackFormat[];
  readonly draft: TargetDraft;
  readonly onChange: (draft: TargetDraft) => void;
}): ReactElement {
  const { label, formats, draft, onChange } = props;
  const chosen = formats.find(({ name }) => name === draft.format);
  return (
    <>
      <SelectField
        label={label}
        value={draft.format}
        options={formats.map((format) => [format.name, format.label])}
        onChange={(format) => {
          onChange({ ...draft, format, settings: {} });
        }}
      />
      {chosen !== undefined && <p className={clsx(layout.soft, layout.small)}>{chosen.verification}</p>}
      {chosen?.settings.map((setting) => (
        <SettingField
          key={setting.name}
          setting={setting}
          value={draft.settings[setting.name] ?? ""}
          onChange={(value) => {
            onChange({ ...draft, settings: { ...draft.settings, [setting.name]: value } });
          }}
        />
      ))}
    </>
  );
}

function SettingField(props: {
  readonly setting: CallbackFormat["settings"][number];
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const { setting, value, onChange } = props;
  const { name, description, isSecret, values } = setting;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      {values === undefined ? (
        <Field
          label={name}
          type={isSecret ? "password" : "text"}
          value={value}
          onChange={(event) => {
            onChange(event.target.value);
          }}
        />
      ) : (
        <SelectField
          label={name}
          value={value === "" ? (values[0] ?? "") : value}
          options={values.map((one) => [one, one])}
          onChange={onChange}
        />
      )}
      <p className={clsx(layout.faint, layout.small)}>{description.replaceAll("`", "")}</p>
    </div>
  );
}
