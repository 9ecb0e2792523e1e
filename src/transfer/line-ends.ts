/** Mail travels with CRLF (RFC 5321 §2.3.8) and lies in mailboxes with LF, as texts of the system do. */

/** The bytes as Latin-1 text, each CRLF an LF; whatever else is there stays. */
export function toLf(raw: Uint8Array): string {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1").replaceAll("\r\n", "\n");
}

/** The bytes of a Latin-1 text, each LF that has no CR in front a CRLF. */
export function toCrLf(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\r?\n/g, "\r\n"), "latin1");
}
