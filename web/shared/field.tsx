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
