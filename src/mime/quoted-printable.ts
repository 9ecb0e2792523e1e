import { cr, lf, space, tab } from "./source.ts";

const equals = 61;
/** Value of each byte as a hexadecimal digit; -1 for others. Lower case is accepted (RFC 2045 §6.7 (1)). */
const hexDigits: Int8Array = buildHexDigits();

/** Returns the decoded bytes of quoted-printable `raw[start, end)`; malformed escapes are kept literally. */
export function decodeQuotedPrintable(raw: Buffer, start: number, end: number): Buffer {
  const bytes = raw.subarray(start, end);
  const out = Buffer.allocUnsafe(bytes.length);
  return out.subarray(0, scan(bytes, out));
}

/** Returns `decodeQuotedPrintable(raw, start, end).length` without allocating. */
export function quotedPrintableLength(raw: Buffer, start: number, end: number): number {
  return scan(raw.subarray(start, end), null);
}

/**
 * Writes the decoded bytes to `out`, if given, and counts them. Blanks before a line end are removed (RFC 2045 §6.7
 * (3)).
 */
function scan(bytes: Buffer, out: Buffer | null): number {
  const end = bytes.length - blanksBefore(bytes, bytes.length);
  let length = 0;
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== equals) {
      if (byte <= cr && (byte === lf || byte === cr)) length -= blanksBefore(bytes, at);
      if (out !== null) out[length] = byte;
      length += 1;
      continue;
    }
    const value = hexValueAt(bytes, at + 1);
    if (value >= 0) {
      if (out !== null) out[length] = value;
      length += 1;
      at += 2;
      continue;
    }
    const softEnd = softBreakEnd(bytes, at + 1);
    if (softEnd !== -1) {
      at = softEnd - 1;
      continue;
    }
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

/** Returns the value of the two hexadecimal digits at `position`; negative if they are not digits. */
function hexValueAt(bytes: Buffer, position: number): number {
  return ((hexDigits[bytes[position] ?? 0] ?? -1) << 4) | (hexDigits[bytes[position + 1] ?? 0] ?? -1);
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
