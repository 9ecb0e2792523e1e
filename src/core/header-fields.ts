import type { HeaderField } from "./message.ts";

/** Returns the fields with a name, which is given in lower case, in order. */
export function fieldsNamed(headers: readonly HeaderField[], name: string): readonly HeaderField[] {
  const { length } = name;
  // Most names differ in length already, which costs no copy in lower case.
  return headers.filter(({ field }) => field.length === length && field.toLowerCase() === name);
}
