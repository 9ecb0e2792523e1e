import type { ComponentProps, ReactElement } from "react";
import styles from "./field.module.css";
import layout from "./layout.module.css";

/** Props of an element with a text that is changed. */
type TextProps<Name extends "input" | "textarea"> = Omit<ComponentProps<Name>, "value" | "onChange"> &
  FieldState<string> & { readonly label: string };

/** A labelled input. */
export function Field(props: TextProps<"input">): ReactElement {
  const { label, onChange, ...input } = props;
  return (
    <label className={styles.field}>
      <span>{label}</span>
      <input
        className={styles.input}
        autoComplete="off"
        {...input}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

/** Returns a function that returns value and change handler of the field for a member of a draft. */
export function fieldsOf<Draft extends object>(
  draft: Draft,
  onChange: (draft: Draft) => void,
): <Name extends keyof Draft>(name: Name) => FieldState<Draft[Name]> {
  return (name) => ({
    value: draft[name],
    onChange: (value) => onChange({ ...draft, [name]: value }),
  });
}

interface FieldState<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A labelled checkbox. */
export function CheckField(props: FieldState<boolean> & { readonly label: string }): ReactElement {
  const { label, value, onChange } = props;
  return (
    <label className={layout.row}>
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** A labelled text of several lines. */
export function TextAreaField(props: TextProps<"textarea">): ReactElement {
  const { label, onChange, ...area } = props;
  return (
    <label className={styles.field}>
      <span>{label}</span>
      <textarea className={styles.input} {...area} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}

/** Returns the options of a select from a text for each value. */
export function optionsOf<Value extends string>(
  texts: Readonly<Record<Value, string>>,
): readonly (readonly [Value, string])[] {
  return Object.entries(texts) as [Value, string][];
}

interface ChoiceProps<Value> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: NoInfer<Value>) => void;
}

/** A labelled select. */
export function SelectField<Value extends string>(props: ChoiceProps<Value>): ReactElement {
  const { label, value, options, onChange } = props;
  return (
    <label className={styles.field}>
      <span>{label}</span>
      <select
        className={styles.input}
        value={value}
        onChange={(event) => {
          const chosen = options.find(([option]) => option === event.target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A group of buttons that selects one of a few values. */
export function Segments<Value extends string>(props: ChoiceProps<Value>): ReactElement {
  const { label, value, options, onChange } = props;
  return (
    <div className={styles.segments} role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button
          key={option}
          type="button"
          className={styles.segment}
          aria-pressed={option === value}
          onClick={() => onChange(option)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
