import type { ReactElement } from "react";
import { Field, SelectField } from "../shared/field.tsx";
import { clsx } from "clsx";
import layout from "../shared/layout.module.css";
import type { CallbackFormat } from "../wire.ts";
import type { TargetDraft } from "./target-draft.ts";

/** Choice of a provider or format, and its settings. */
export function FormatFields(props: {
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
