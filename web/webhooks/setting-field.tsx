import { clsx } from "clsx";
import type { ReactElement } from "react";
import { Field, SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { CallbackFormat } from "../wire.ts";
import styles from "./setting-field.module.css";

/** Field of a provider's setting: its label in words, and below it the description and the name in the API. */
export function SettingField(props: {
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
