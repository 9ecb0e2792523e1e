/** Reader of forms: bodies and query strings of providers and other mail catchers in `application/x-www-form-urlencoded`. */
import { bodyNameBytesMax, formFieldCountMax } from "./body-limits.ts";
import { Problem } from "./errors.ts";

/** Fields of a form body or of a query string, in order; names may repeat. */
export type FormFields = readonly (readonly [name: string, value: string])[];

const ampersand = 0x26;

/**
 * Parses `application/x-www-form-urlencoded`. Throws `body_too_large`, whose text names the limit, for more than
 * {@link formFieldCountMax} fields or a name longer than {@link bodyNameBytesMax}.
 */
export function readForm(body: Uint8Array | string): FormFields {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  let fieldCount = 1;
  for (let at = bytes.indexOf(ampersand); at !== -1; at = bytes.indexOf(ampersand, at + 1)) {
    fieldCount += 1;
    if (fieldCount > formFieldCountMax) throw tooLarge(`The form has more than ${formFieldCountMax} fields`);
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const fields = Array.from(new URLSearchParams(text));
  if (fields.some(([name]) => name.length > bodyNameBytesMax)) {
    throw tooLarge(`The name of a form field is longer than ${bodyNameBytesMax} characters`);
  }
  return fields;
}

function tooLarge(text: string): Problem {
  return new Problem("body_too_large", { text });
}
