/** Conversion between CRLF, which SMTP uses (RFC 5321 §2.3.8), and LF, which mailbox files use. */

/** Decodes bytes as Latin-1 and replaces each CRLF by LF. */
export function toLf(raw: Uint8Array): string {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1").replaceAll("\r\n", "\n");
}

/** Encodes a Latin-1 text and replaces each LF without a preceding CR by CRLF. */
export function toCrLf(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\r?\n/g, "\r\n"), "latin1");
}
