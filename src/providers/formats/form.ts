import type { FormFields } from "../../core/read-form.ts";

/** Serialises fields as `application/x-www-form-urlencoded`. */
export function writeForm(fields: FormFields): string {
  return new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
}

/** Returns a field that is a number of at most four digits; `absent` for anything else. */
export function countOf(fields: FormFields, name: string, absent: number): number {
  const text = fieldOf(fields, name) ?? "";
  return /^\d{1,4}$/.test(text) ? Number(text) : absent;
}

/** Returns a field that is a natural number of at most `max`; `absent` for an absent one. Throws `invalid` for anything else. */
export function naturalOf(
  fields: FormFields,
  name: string,
  { absent, max, invalid }: { readonly absent: number; readonly max: number; readonly invalid: Error },
): number {
  const text = fieldOf(fields, name);
  if (text === undefined) return absent;
  if (!/^\d{1,15}$/.test(text) || Number(text) > max) throw invalid;
  return Number(text);
}

/** Returns the first value of a field; undefined when it is absent or empty, which providers do not distinguish. */
export function fieldOf(fields: FormFields, name: string): string | undefined {
  return fields.find(([key]) => key === name)?.[1] || undefined;
}
