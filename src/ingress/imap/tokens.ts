/** Argument of a command; strings and atoms are decoded from UTF-8. */
export type ImapToken =
  /** Atom, number, sequence set or flag, as written; a section such as `BODY[HEADER.FIELDS (DATE)]<0.9>` is one atom. */
  | { readonly kind: "atom"; readonly text: string }
  /** Quoted string or literal. */
  | { readonly kind: "string"; readonly text: string }
  /** Literal that APPEND stores. */
  | { readonly kind: "octets"; readonly bytes: Uint8Array }
  | { readonly kind: "list"; readonly items: readonly ImapToken[] };

/** Wrong syntax of a command, which is answered with BAD. */
export class ImapSyntaxError extends Error {
  override readonly name = "ImapSyntaxError";
}

/** Strings in responses (RFC 9051 §4.3). Responses are written as UTF-8. */

/** UTF-16 units above which a string is a literal, because clients limit the length of lines. */
const quotedLengthMax = 1024;
const quotable = /^[\u0020-\u007e]*$/;

/** Returns a string as quoted string or literal; NIL for null. NUL, which no string may contain, becomes U+FFFD. */
export function imapString(text: string | null): string {
  if (text === null) return "NIL";
  if (text.length <= quotedLengthMax && quotable.test(text)) return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  const literal = text.replaceAll("\0", "\ufffd");
  return `{${Buffer.byteLength(literal)}}\r\n${literal}`;
}
