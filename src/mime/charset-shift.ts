import { base64Value } from "./base64.ts";

type Decode = (bytes: Buffer) => string;

const escape = 0x1b;
const lf = 0x0a;
const tilde = 0x7e;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Decodes HZ (RFC 1843) as GB 2312 with the high bit off: `~{` and `~}` shift, `~~` is a tilde, `~` before a line end joins lines. Every line starts
 * unshifted. Shifted bytes come in pairs, whose second byte may be a tilde.
 */
export function decodeHz(bytes: Buffer, decodeGb: Decode): string {
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let isShifted = false;
  for (let position = 0; position < bytes.length; position += 1) {
    const byte = byteAt(bytes, position);
    const next = byteAt(bytes, position + 1);
    const isCommand = byte === tilde && isHzCommand(next, isShifted);
    if (isCommand && next !== tilde) {
      if (next !== lf) isShifted = next === openBrace;
      position += 1;
      continue;
    }
    // A line end inside a pair ends the shift.
    isShifted = isShifted && byte !== lf && next !== lf;
    out[length++] = isShifted ? withHighBit(byte) : byte;
    if (isShifted) out[length++] = withHighBit(next);
    if (isShifted || isCommand) position += 1;
  }
  return decodeGb(out.subarray(0, length));
}

/** Returns the byte at a position, or a line feed after the end. */
function byteAt(bytes: Buffer, position: number): number {
  return bytes[position] ?? lf;
}

function isHzCommand(next: number, isShifted: boolean): boolean {
  return isShifted ? next === closeBrace : next === openBrace || next === tilde || next === lf;
}

/**
 * Removes every shift of ISO-2022-JP (RFC 1468) that is immediately followed by another one, as where two encoded words
 * are joined: the decoder of the Encoding standard treats such a pair as an error. Returns the same bytes if there is
 * none.
 */
export function withoutEmptyShifts(bytes: Buffer): Buffer {
  let out: Buffer | null = null;
  let length = 0;
  let from = 0;
  for (let at = bytes.indexOf(escape); at !== -1; at = bytes.indexOf(escape, at + 1)) {
    if (!isJapaneseShift(bytes, at) || !isJapaneseShift(bytes, at + 3)) continue;
    out ??= Buffer.allocUnsafe(bytes.length);
    length += bytes.copy(out, length, from, at);
    from = at + 3;
  }
  if (out === null) return bytes;
  length += bytes.copy(out, length, from);
  return out.subarray(0, length);
}

/** `ESC ( B`, `ESC ( J`, `ESC ( I`, `ESC $ @`, `ESC $ B` */
function isJapaneseShift(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== escape) return false;
  const last = bytes[at + 2];
  if (bytes[at + 1] === 0x28) return last === 0x42 || last === 0x49 || last === 0x4a;
  return bytes[at + 1] === 0x24 && (last === 0x40 || last === 0x42);
}

function withHighBit(byte: number): number {
  return byte > 0x20 && byte < 0x7f ? byte | 0x80 : byte;
}

const plus = 0x2b;
const minus = 0x2d;
const replacement = 0xfffd;
/** UTF-16 code units that are collected before they are converted to a string; bounds the memory beside the text. */
const chunkLength = 64 * 1024;

/**
 * Decodes UTF-7 (RFC 2152): `+` starts UTF-16 in base64, any character outside of base64 ends it, a `-` there is
 * removed, `+-` is a plus sign. Bytes above 0x7F become U+FFFD. The result may contain lone surrogates.
 */
export function decodeUtf7(bytes: Buffer): string {
  const out = new UnitBuilder();
  let position = 0;
  while (position < bytes.length) {
    const byte = bytes[position] ?? 0;
    position += 1;
    if (byte !== plus) out.append(byte < 0x80 ? byte : replacement);
    else if (bytes[position] !== minus) position = decodeShifted(bytes, position, out);
    else {
      out.append(plus);
      position += 1;
    }
  }
  return out.toString();
}

/** Decodes the base64 that starts at `start` and returns the offset after it and its terminator. */
function decodeShifted(bytes: Buffer, start: number, out: UnitBuilder): number {
  let bits = 0;
  let bitCount = 0;
  let position = start;
  for (; position < bytes.length; position += 1) {
    const value = base64Value(bytes[position] ?? 0);
    if (value < 0) break;
    bits = ((bits << 6) | value) & 0x3fffff;
    bitCount += 6;
    if (bitCount < 16) continue;
    bitCount -= 16;
    out.append(bits >> bitCount);
  }
  return bytes[position] === minus ? position + 1 : position;
}

/** Builder of a text from UTF-16 code units. */
class UnitBuilder {
  readonly #chunks: string[] = [];
  readonly #units = new Uint16Array(chunkLength);
  #length = 0;

  append(unit: number): void {
    this.#units[this.#length] = unit;
    this.#length += 1;
    if (this.#length === chunkLength) this.#endChunk();
  }

  toString(): string {
    this.#endChunk();
    return this.#chunks.join("");
  }

  #endChunk(): void {
    this.#chunks.push(Buffer.from(this.#units.buffer, 0, this.#length * 2).toString("utf16le"));
    this.#length = 0;
  }
}
