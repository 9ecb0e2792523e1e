import type { ReactElement } from "react";
import fieldStyles from "../shared/field.module.css";
import { Field, SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { TargetDraft } from "./target-draft.ts";
import { webhookEventNames } from "./webhook-events.ts";

/** Fields of a webhook: description, events and filter. */
export function WebhookFields(props: {
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
