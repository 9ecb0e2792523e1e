import type { ComponentProps, ReactElement } from "react";
import styles from "./field.module.css";

/** A labelled input. */
export function Field({ label, ...input }: ComponentProps<"input"> & { readonly label: string }): ReactElement {
  return (
    <label className={styles.field}>
      <span>{label}</span>
      <input className={styles.input} autoComplete="off" {...input} />
    </label>
  );
}

/** A labelled text of several lines. */
export function TextAreaField(
  props: Omit<ComponentProps<"textarea">, "value" | "onChange"> & {
    readonly label: string;
    readonly value: string;
    readonly onChange: (value: string) => void;
  },
): ReactElement {
  const { label, onChange, ...area } = props;
  return (
    <label className={styles.field}>
      <span>{label}</span>
      <textarea
        className={styles.input}
        {...area}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
    </label>
  );
}

/** A labelled select. */
export function SelectField<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: NoInfer<Value>) => void;
}): ReactElement {
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
export function Segments<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
}): ReactElement {
  const { label, value, options, onChange } = props;
  return (
    <div className={styles.segments} role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button
          key={option}
          type="button"
          className={styles.segment}
          aria-pressed={option === value}
          onClick={() => {
            onChange(option);
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
