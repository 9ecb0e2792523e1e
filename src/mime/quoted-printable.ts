import { cr, lf, space, tab } from "./source.ts";

const equals = 61;
/** Size up to which all strings between two `=` may be held at once. */
const chunkedBytesMax = 256 * 1024;
/** Value of each byte as a hexadecimal digit; -1 for others. Lower case is accepted (RFC 2045 §6.7 (1)). */
const hexDigits: Int8Array = buildHexDigits();

/** Returns the decoded bytes of quoted-printable `raw[start, end)`; malformed escapes are kept literally. */
export function decodeQuotedPrintable(raw: Buffer, start: number, end: number): Buffer {
  const bytes = raw.subarray(start, end);
  if (bytes.length <= chunkedBytesMax) {
    const text = bytes.toString("latin1", 0, bytes.length - blanksBefore(bytes, bytes.length));
    if (isPlain(text)) return Buffer.from(decodeChunks(text), "latin1");
  }
  const out = Buffer.allocUnsafe(bytes.length);
  return out.subarray(0, scan(bytes, out));
}

/** Returns `decodeQuotedPrintable(raw, start, end).length` without allocating. */
export function quotedPrintableLength(raw: Buffer, start: number, end: number): number {
  return scan(raw.subarray(start, end), null);
}

/** Whether there are no blanks before line ends, which would be removed, and no CR alone, as in most mail. */
function isPlain(text: string): boolean {
  let nextCr = text.indexOf("\r");
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) {
    if (nextCr !== -1 && nextCr < end - 1) return false;
    const before = text.charCodeAt(nextCr === end - 1 ? end - 2 : end - 1);
    if (before === space || before === tab) return false;
    if (nextCr === end - 1) nextCr = text.indexOf("\r", end);
  }
  return nextCr === -1;
}

/**
 * Does the same as {@link scan} for plain text with one character per byte: engines slice and join strings much faster
 * than they copy bytes.
 */
function decodeChunks(text: string): string {
  const chunks = text.split("=");
  let decoded = chunks[0] ?? "";
  for (let index = 1; index < chunks.length; index += 1) {
    const chunk = chunks[index] ?? "";
    const value = hexValue(chunk.charCodeAt(0), chunk.charCodeAt(1));
    if (value >= 0) decoded += String.fromCharCode(value) + chunk.slice(2);
    else decoded += afterSoftBreak(chunk, index === chunks.length - 1) ?? `=${chunk}`;
  }
  return decoded;
}

/** Returns the text after a soft line break of which `=` was removed; undefined if there is none. */
function afterSoftBreak(chunk: string, isLast: boolean): string | undefined {
  let next = 0;
  while (chunk.charCodeAt(next) === space || chunk.charCodeAt(next) === tab) next += 1;
  if (next === chunk.length) return isLast ? "" : undefined;
  if (chunk.charCodeAt(next) === lf) return chunk.slice(next + 1);
  return chunk.charCodeAt(next) === cr ? chunk.slice(next + 2) : undefined;
}

/**
 * Writes the decoded bytes to `out`, if given, and counts them. Blanks before a line end are removed (RFC 2045 §6.7
 * (3)).
 */
function scan(bytes: Buffer, out: Buffer | null): number {
  const end = bytes.length - blanksBefore(bytes, bytes.length);
  let length = 0;
  let position = 0;
  while (position < end) {
    let byte = bytes[position] ?? 0;
    position += 1;
    if (byte === equals) {
      const value = hexValueAt(bytes, position);
      const softEnd = value < 0 ? softBreakEnd(bytes, position) : -1;
      if (softEnd !== -1) {
        position = softEnd;
        continue;
      }
      if (value >= 0) {
        byte = value;
        position += 2;
      }
    } else if (byte <= cr && (byte === lf || byte === cr)) length -= blanksBefore(bytes, position - 1);
    if (out !== null) out[length] = byte;
    length += 1;
  }
  return length;
}

/** Returns the number of blanks directly before `position`. */
function blanksBefore(bytes: Buffer, position: number): number {
  let start = position;
  while (bytes[start - 1] === space || bytes[start - 1] === tab) start -= 1;
  return position - start;
}

/** Returns the offset after the soft line break whose `=` is before `position`; -1 if there is none. */
function softBreakEnd(bytes: Buffer, position: number): number {
  let next = position;
  while (bytes[next] === space || bytes[next] === tab) next += 1;
  if (next >= bytes.length) return next;
  if (bytes[next] === lf) return next + 1;
  if (bytes[next] !== cr) return -1;
  return bytes[next + 1] === lf ? next + 2 : next + 1;
}

/** Returns the value of two hexadecimal digits; negative if they are not digits. */
function hexValue(first: number, second: number): number {
  return ((hexDigits[first] ?? -1) << 4) | (hexDigits[second] ?? -1);
}

function hexValueAt(bytes: Buffer, position: number): number {
  return hexValue(bytes[position] ?? 0, bytes[position + 1] ?? 0);
}

function buildHexDigits(): Int8Array {
  const table = new Int8Array(256).fill(-1);
  for (let value = 0; value < 16; value += 1) {
    const digit = value.toString(16);
    table[digit.charCodeAt(0)] = value;
    table[digit.toUpperCase().charCodeAt(0)] = value;
  }
  return table;
}
