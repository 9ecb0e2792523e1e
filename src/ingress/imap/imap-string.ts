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
