import { clsx } from "clsx";
import { type ReactElement, useState } from "react";
import { memberOf, type Target, type TargetCollection, useCallbackFormats, useSaveTarget } from "../api/callbacks.ts";
import { pageStrings } from "../page-strings.ts";
import fieldStyles from "../shared/field.module.css";
import { Field, fieldsOf, SelectField } from "../shared/field.tsx";
import { FormContent, type RequestState } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import type { CallbackFormat } from "../wire.ts";
import styles from "./setting-field.module.css";
import { describeTarget, draftOf, requestOf, type TargetDraft, webhookEventNames } from "./target-draft.ts";
import { hasSecret, TargetSecretDialog } from "./target-secret.tsx";

const labels = pageStrings.webhooks;

/** Dialog that creates a target or, with one, changes it; shows the secret of a new one. */
export function SaveTargetDialog(props: {
  readonly server: string;
  readonly collection: TargetCollection;
  readonly target: Target | null;
  readonly onClose: () => void;
}): ReactElement {
  const { server, collection, target, onClose } = props;
  const { mutate, data: saved, error, isPending } = useSaveTarget(server, collection);
  const { data: formats } = useCallbackFormats();
  const title = target === null ? labels.sections[collection].add : describeTarget(target, formats).name;
  const withSecret = saved !== undefined && target === null && hasSecret(saved) ? saved : undefined;
  return (
    <TargetSecretDialog title={title} target={withSecret} onClose={onClose}>
      {withSecret === undefined && (
        <TargetForm
          collection={collection}
          target={target}
          request={{ error, isPending }}
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
  readonly request: RequestState;
  readonly onClose: () => void;
  readonly onSubmit: (member: string | null, body: Readonly<Record<string, unknown>>) => void;
}): ReactElement {
  const { collection, target, request, onClose, onSubmit } = props;
  const { data: formats, error: formatsError } = useCallbackFormats();
  const [draft, setDraft] = useState(() => draftOf(target));
  const hasEvents = collection === "event-webhooks";
  const known = (hasEvents ? formats?.events : formats?.inbound) ?? [];
  const chosen: TargetDraft = { ...draft, format: draft.format || (known[0]?.name ?? "") };
  return (
    <FormContent
      label={labels.submit}
      request={{ ...request, error: request.error ?? formatsError }}
      onSubmit={() => onSubmit(memberToSave(collection, chosen, target), requestOf(collection, chosen, target))}
      onClose={onClose}
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
    </FormContent>
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
  const field = fieldsOf(draft, onChange);
  return (
    <>
      {hasPattern && <Field label={labels.pattern} placeholder={labels.patternHint} required {...field("pattern")} />}
      <Field label={labels.url} placeholder={labels.urlHint} required type="url" {...field("url")} />
    </>
  );
}

/** Fields of a webhook: description, events and filter. */
function WebhookFields(props: {
  readonly draft: TargetDraft;
  readonly onChange: (draft: TargetDraft) => void;
}): ReactElement {
  const { draft, onChange } = props;
  const field = fieldsOf(draft, onChange);
  return (
    <>
      <Field label={labels.description} placeholder={labels.optional} maxLength={200} {...field("description")} />
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
      <SelectField label={labels.messageType} options={Object.entries(labels.messageTypes)} {...field("type")} />
      <Field label={labels.recipient} placeholder={labels.recipientHint} {...field("recipient")} />
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
        onChange={(format) => onChange({ ...draft, format, settings: {} })}
      />
      {chosen !== undefined && (
        <p className={clsx(layout.soft, layout.small)}>{chosen.verification.replaceAll("`", "")}</p>
      )}
      {chosen?.settings.map((setting) => (
        <SettingField
          key={setting.name}
          setting={setting}
          value={draft.settings[setting.name] ?? ""}
          onChange={(value) => onChange({ ...draft, settings: { ...draft.settings, [setting.name]: value } })}
        />
      ))}
    </>
  );
}

/** Field of a provider's setting: its label in words, and below it the description and the name in the API. */
function SettingField(props: {
  readonly setting: CallbackFormat["settings"][number];
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const { setting, value, onChange } = props;
  const { name, description, isSecret, values } = setting;
  const label = labelOf(name);
  const { valueTexts } = pageStrings.webhooks;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      {values === undefined ? (
        <Field label={label} type={isSecret ? "password" : "text"} value={value} onChange={onChange} />
      ) : (
        <SelectField
          label={label}
          value={value === "" ? (values[0] ?? "") : value}
          options={values.map((one) => [one, valueTexts[one] ?? one])}
          onChange={onChange}
        />
      )}
      <p className={clsx(layout.faint, layout.small, styles.hint)}>
        {description.replaceAll("`", "")} <code title={pageStrings.webhooks.apiName}>{name}</code>
      </p>
    </div>
  );
}

/** Returns a setting's name in words: that of the strings, else the words of its name: `messageStream` is "Message stream". */
function labelOf(name: string): string {
  const words = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return pageStrings.webhooks.settingLabels[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
