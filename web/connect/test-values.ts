/** Criteria that identify a message, and what a test asserts. */
export interface TestValues {
  /** Base URL of the service, without a trailing slash. */
  readonly url: string;
  readonly server: string;
  /** Address or number of a recipient; "" for none. */
  readonly sentTo: string;
  readonly subject: string;
  /** The first code and the body that contains it; null for none. */
  readonly code: { readonly value: string; readonly part: "html" | "text" } | null;
}

/** Returns a pattern of the form of a code: each email has another one of the same form. */
export function patternOf(code: string): string {
  return code
    .replaceAll(/\d+/g, (digits) => `\\d{${digits.length.toString()}}`)
    .replaceAll(/[A-Za-z]+/g, (letters) => (letters === "d" ? letters : `[A-Za-z]{${letters.length.toString()}}`));
}
