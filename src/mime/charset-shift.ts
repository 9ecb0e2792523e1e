/**
 * Two 7-bit charsets that switch into a double-byte set and back. Each is its 8-bit sibling with the high bit off, so
 * that setting the bit inside the shifted stretches and dropping the shifts leaves bytes the sibling's decoder reads.
 */
type Decode = (bytes: Buffer) => string;

const escape = 0x1b;
const shiftOut = 0x0e;
const shiftIn = 0x0f;
const lf = 0x0a;

/** A command of HZ; `~{` takes the pairs up to `~}` or the line's end with it (a pair's second byte may be a tilde). */
const hzCommand = /~(?:[~\n]|\{((?:(?!~\})[^\n]{2})*)(?:~\})?)/g;

/** HZ (RFC 1843): `~{`, `~}` shift, `~~` is a tilde, `~` before a line end joins lines; every line begins unshifted. */
export function decodeHz(bytes: Buffer, decodeGb: Decode): string {
  const unshifted = bytes.toString("latin1").replaceAll(hzCommand, (command: string, pairs: string | undefined) => {
    if (pairs === undefined) return command === "~~" ? "~" : "";
    const shifted = Buffer.from(pairs, "latin1").map((byte) => withHighBit(byte, 0x80));
    return Buffer.from(shifted).toString("latin1");
  });
  return decodeGb(Buffer.from(unshifted, "latin1"));
}

/** ISO-2022-KR (RFC 1557): the designator `ESC $ ) C` is dropped, SO and SI shift; every line begins unshifted. */
export function decodeIso2022Kr(bytes: Buffer, decodeEucKr: Decode): string {
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let highBit = 0;
  for (let position = 0; position < bytes.length; position += 1) {
    const byte = bytes[position] ?? 0;
    if (byte === shiftOut || byte === shiftIn) {
      highBit = byte === shiftOut ? 0x80 : 0;
    } else if (byte === escape && bytes.toString("latin1", position + 1, position + 4) === "$)C") {
      position += 3;
    } else {
      if (byte === lf) highBit = 0;
      out[length++] = withHighBit(byte, highBit);
    }
  }
  return decodeEucKr(out.subarray(0, length));
}

function withHighBit(byte: number, highBit: number): number {
  return byte > 0x20 && byte < 0x7f ? byte | highBit : byte;
}
