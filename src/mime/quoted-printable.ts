import { cr, lf, space, tab } from "./source.ts";

const equals = 61;
/** Value of each byte as a hexadecimal digit; -1 for others. Lower case is accepted (RFC 2045 §6.7 (1)). */
const hexDigits: Int8Array = buildHexDigits();
/** 1 for the bytes that are not simply copied: `=`, LF and CR. */
const special = new Uint8Array(256);
for (const byte of [equals, lf, cr]) special[byte] = 1;

/** Returns the decoded bytes of quoted-printable `raw[start, end)`; malformed escapes are kept literally. */
export function decodeQuotedPrintable(raw: Buffer, start: number, end: number): Buffer {
  return decode(raw.subarray(start, end), false);
}

/**
 * As {@link decodeQuotedPrintable}, with CRLF of the result replaced by LF. CR stays where no LF follows, and CRLF after
 * another CR.
 */
export function decodeQuotedPrintableText(raw: Buffer, start: number, end: number): Buffer {
  return decode(raw.subarray(start, end), true);
}

/** Returns `decodeQuotedPrintable(raw, start, end).length` without allocating. */
export function quotedPrintableLength(raw: Buffer, start: number, end: number): number {
  const bytes = raw.subarray(start, end);
  const scanEnd = bytes.length - blanksBefore(bytes, bytes.length);
  let length = 0;
  let at = 0;
  while (at < scanEnd) {
    const plainEnd = findSpecial(bytes, at, scanEnd);
    length += plainEnd - at;
    at = plainEnd;
    if (at === scanEnd) break;
    const softEnd = softBreakEnd(bytes, at);
    if (softEnd !== -1) {
      at = softEnd;
      continue;
    }
    length += 1 - removedBefore(bytes, at);
    at += escapedAt(bytes, at) < 0 ? 1 : 3;
  }
  return length;
}

/** Blanks before a line end are removed (RFC 2045 §6.7 (3)). */
function decode(bytes: Buffer, isText: boolean): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  const end = bytes.length - blanksBefore(bytes, bytes.length);
  let length = 0;
  let at = 0;
  while (at < end) {
    // A loop without other decisions: nearly all bytes are copied here.
    while (at < end && special[bytes[at] ?? 0] === 0) {
      out[length] = bytes[at] ?? 0;
      length += 1;
      at += 1;
    }
    if (at === end) break;
    const softEnd = softBreakEnd(bytes, at);
    if (softEnd !== -1) {
      at = softEnd;
      continue;
    }
    length -= removedBefore(bytes, at);
    let byte = escapedAt(bytes, at);
    if (byte < 0) {
      byte = bytes[at] ?? 0;
      at += 1;
    } else at += 3;
    if (isText && completesCrLf(byte, out, length)) length -= 1;
    out[length] = byte;
    length += 1;
  }
  return out.subarray(0, length);
}

/** Returns whether `byte` is an LF after a CR at the end of `out[0, length)`, but not after two, of which each is a line end. */
function completesCrLf(byte: number, out: Buffer, length: number): boolean {
  return byte === lf && out[length - 1] === cr && out[length - 2] !== cr;
}

/** Returns the offset of the next special byte in `bytes[start, end)`; `end` if there is none. */
function findSpecial(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && special[bytes[at] ?? 0] === 0) at += 1;
  return at;
}

/** Returns the number of blanks before the CR or LF at `position`; 0 if an `=` is there. */
function removedBefore(bytes: Buffer, position: number): number {
  return bytes[position] === equals ? 0 : blanksBefore(bytes, position);
}

/** Returns the number of blanks directly before `position`. */
function blanksBefore(bytes: Buffer, position: number): number {
  let start = position;
  while (bytes[start - 1] === space || bytes[start - 1] === tab) start -= 1;
  return position - start;
}

/** Returns the offset after the soft line break at `position`; -1 if there is none. */
function softBreakEnd(bytes: Buffer, position: number): number {
  if (bytes[position] !== equals) return -1;
  let next = position + 1;
  while (bytes[next] === space || bytes[next] === tab) next += 1;
  if (next >= bytes.length) return next;
  if (bytes[next] === lf) return next + 1;
  if (bytes[next] !== cr) return -1;
  return bytes[next + 1] === lf ? next + 2 : next + 1;
}

/** Returns the value of the escape `=XX` at `position`; negative if there is none. */
function escapedAt(bytes: Buffer, position: number): number {
  if (bytes[position] !== equals) return -1;
  return ((hexDigits[bytes[position + 1] ?? 0] ?? -1) << 4) | (hexDigits[bytes[position + 2] ?? 0] ?? -1);
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
