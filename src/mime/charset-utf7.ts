import { base64Value } from "./base64.ts";

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
