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
  const set = (name: string, value: string): void => {
    onChange({ ...draft, settings: { ...draft.settings, [name]: value } });
  };
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
      {chosen?.settings.map(({ name, description, isSecret, values }) =>
        values === undefined ? (
          <Field
            key={name}
            label={description}
            type={isSecret ? "password" : "text"}
            value={draft.settings[name] ?? ""}
            onChange={(event) => {
              set(name, event.target.value);
            }}
          />
        ) : (
          <SelectField
            key={name}
            label={description}
            value={draft.settings[name] ?? values[0] ?? ""}
            options={values.map((value) => [value, value])}
            onChange={(value) => {
              set(name, value);
            }}
          />
        ),
      )}
    </>
  );
}
