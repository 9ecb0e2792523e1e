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
