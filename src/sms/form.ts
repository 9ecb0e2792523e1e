/** The fields of a form body or query, in order; names may repeat. */
export type FormFields = readonly (readonly [name: string, value: string])[];

/** Reads `application/x-www-form-urlencoded`. */
export function readForm(body: string): FormFields {
  return Array.from(new URLSearchParams(body));
}

/** Writes `application/x-www-form-urlencoded`. */
export function writeForm(fields: FormFields): string {
  return new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
}

/** First value of the field; undefined when it is absent or empty, which providers treat alike. */
export function fieldOf(fields: FormFields, name: string): string | undefined {
  return fields.find(([key]) => key === name)?.[1] || undefined;
}
