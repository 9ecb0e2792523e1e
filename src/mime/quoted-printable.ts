import { cr, lf, space, tab } from "./source.ts";

const equals = 61;
/** Blanks there mean nothing and go; mail that is written well has none. */
const blankLineEnds = [" \r", "\t\r", " \n", "\t\n"].map((ending) => Buffer.from(ending));
/** Byte → value of the hexadecimal digit it is; -1 for others. Lower case is taken too (RFC 2045 §6.7 (1)). */
const hexDigits: Int8Array = buildHexDigits();

/** The decoded bytes of quoted-printable `raw[start, end)`; what is not well-formed stands for itself. */
export function decodeQuotedPrintable(raw: Buffer, start: number, end: number): Buffer {
  const bytes = raw.subarray(start, end);
  const out = Buffer.allocUnsafe(bytes.length);
  const length = blankLineEnds.some((ending) => bytes.includes(ending)) ? scan(bytes, out) : copyRuns(bytes, out);
  return out.subarray(0, length);
}

/** `decodeQuotedPrintable(raw, start, end).length`, without allocating. */
export function quotedPrintableLength(raw: Buffer, start: number, end: number): number {
  return scan(raw.subarray(start, end), null);
}

/** {@link scan} for bytes without blanks at line ends: what stands between two `=` is copied in one go. */
function copyRuns(bytes: Buffer, out: Buffer): number {
  const end = bytes.length - blanksBefore(bytes, bytes.length);
  let length = 0;
  let position = 0;
  while (position < end) {
    const found = bytes.indexOf(equals, position);
    const mark = found === -1 ? end : found;
    length += bytes.copy(out, length, position, Math.min(mark, end));
    if (mark >= end) break;
    const value = hexValue(bytes, mark + 1);
    const softEnd = value < 0 ? softBreakEnd(bytes, mark + 1) : -1;
    position = softEnd !== -1 ? softEnd : mark + (value < 0 ? 1 : 3);
    if (softEnd !== -1) continue;
    out[length] = value < 0 ? equals : value;
    length += 1;
  }
  return length;
}

/** Writes decoded bytes to `out`, if any, and counts them. Blanks before a line end go (RFC 2045 §6.7 (3)). */
function scan(bytes: Buffer, out: Buffer | null): number {
  const end = bytes.length - blanksBefore(bytes, bytes.length);
  let length = 0;
  let position = 0;
  while (position < end) {
    let byte = bytes[position] ?? 0;
    position += 1;
    if (byte === equals) {
      const value = hexValue(bytes, position);
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

/** How many blanks stand directly before `position`. */
function blanksBefore(bytes: Buffer, position: number): number {
  let start = position;
  while (bytes[start - 1] === space || bytes[start - 1] === tab) start -= 1;
  return position - start;
}

/** Offset behind the soft line break whose `=` stands before `position`; -1 when it is none. */
function softBreakEnd(bytes: Buffer, position: number): number {
  let next = position;
  while (bytes[next] === space || bytes[next] === tab) next += 1;
  if (next >= bytes.length) return next;
  if (bytes[next] === lf) return next + 1;
  if (bytes[next] !== cr) return -1;
  return bytes[next + 1] === lf ? next + 2 : next + 1;
}

/** Value of the two digits at `position`; negative when they are none. */
function hexValue(bytes: Buffer, position: number): number {
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
