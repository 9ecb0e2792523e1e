import type { ComponentProps, ReactElement } from "react";

/** An input with its name above it. */
export function Field({ label, ...input }: ComponentProps<"input"> & { readonly label: string }): ReactElement {
  return (
    <label className="field">
      <span>{label}</span>
      <input className="input" autoComplete="off" {...input} />
    </label>
  );
}

/** One of a few values, with a name above them. */
export function SelectField(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}): ReactElement {
  const { label, value, options, onChange } = props;
  return (
    <label className="field">
      <span>{label}</span>
      <select
        className="input"
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
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

/** One of a few values, all of them in sight. */
export function Segments<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
}): ReactElement {
  const { label, value, options, onChange } = props;
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button
          key={option}
          type="button"
          className="segment"
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
