/** Conversion between CRLF, which SMTP uses (RFC 5321 §2.3.8), and LF, which mailbox files use. */

const cr = 0x0d;
const lf = 0x0a;

/** Decodes bytes as Latin-1 and replaces each CRLF by LF; takes memory for the result only, as {@link toCrLf} does. */
export function toLf(raw: Uint8Array): string {
  const target = Buffer.allocUnsafe(raw.byteLength);
  let length = 0;
  for (let at = 0; at < raw.byteLength; at += 1) {
    const byte = raw[at] ?? 0;
    if (byte === cr && raw[at + 1] === lf) continue;
    target[length] = byte;
    length += 1;
  }
  return target.toString("latin1", 0, length);
}

/** Encodes a Latin-1 text and replaces each LF without a preceding CR by CRLF. */
export function toCrLf(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const isBare = (at: number): boolean => bytes[at] === lf && bytes[at - 1] !== cr;
  let bareCount = 0;
  for (let at = bytes.indexOf(lf); at >= 0; at = bytes.indexOf(lf, at + 1)) if (isBare(at)) bareCount += 1;
  if (bareCount === 0) return bytes;
  const target = Buffer.allocUnsafe(bytes.length + bareCount);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (isBare(at)) target[length++] = cr;
    target[length++] = bytes[at] ?? 0;
  }
  return target;
}
