/**
 * Base64 (RFC 2045 §6.8): bytes outside of the alphabet are skipped, and padding ends the data, so that a footer
 * appended by a mailing list is not decoded. A `=` where padding is impossible is skipped too.
 */

const padding = 61;
/** Six bits of each byte; -1 for bytes outside of the alphabet. */
const sextets: Int8Array = buildSextets();
const chunkBytes = 1 << 16;
const scratch: Uint8Array & NativeDecoder = new Uint8Array(chunkBytes);

/** Base64 decoder of ECMA-262, which the oldest supported Node lacks. */
interface NativeDecoder {
  setFromBase64?(
    text: string,
    options: { readonly lastChunkHandling: "stop-before-partial" },
  ): { readonly read: number; readonly written: number };
}

const none = { read: 0, written: 0 } as const;

/** Returns the decoded bytes of `raw[start, end)`. */
export function decodeBase64(raw: Buffer, start: number, end: number): Buffer {
  const length = base64Length(raw, start, end);
  const encoded = raw.subarray(start, end);
  const firstPad = encoded.indexOf(padding);
  const unpadded = firstPad === -1 ? encoded : encoded.subarray(0, firstPad);
  // The native decoder also accepts the URL-safe alphabet and stops at padding, so it is not used for those.
  if (!unpadded.includes("-") && !unpadded.includes("_")) {
    const native = Buffer.from(unpadded.toString("latin1"), "base64");
    if (native.length === length) return native;
  }
  return decodeTolerantly(encoded, length);
}

/** Returns `decodeBase64(raw, start, end).length` without allocating the decoded bytes. */
export function base64Length(raw: Buffer, start: number, end: number): number {
  let position = start;
  let length = 0;
  try {
    while (position < end) {
      const chunk = raw.toString("latin1", position, Math.min(end, position + chunkBytes));
      const { read, written } = scratch.setFromBase64?.(chunk, { lastChunkHandling: "stop-before-partial" }) ?? none;
      if (read === 0) break;
      position += read;
      length += written;
      // Only padding ends a group of fewer than three bytes.
      if (written % 3 !== 0) return length;
    }
  } catch {
    // Bytes outside of the alphabet, or misplaced padding: count the rest byte by byte.
  }
  return length + countTolerantly(raw, position, end);
}

function countTolerantly(raw: Buffer, start: number, end: number): number {
  let sextetCount = 0;
  for (let position = start; position < end; position += 1) {
    const byte = raw[position] ?? 0;
    if ((sextets[byte] ?? -1) >= 0) sextetCount += 1;
    else if (byte === padding && sextetCount % 4 > 1) break;
  }
  return Math.floor((sextetCount * 3) / 4);
}

function decodeTolerantly(bytes: Buffer, length: number): Buffer {
  const out = Buffer.allocUnsafe(length);
  let written = 0;
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    if (written === length) break;
    const sextet = sextets[byte] ?? -1;
    if (sextet < 0) continue;
    bits = ((bits << 6) | sextet) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    out[written++] = bits >> bitCount;
  }
  return out;
}

/** Returns the six bits of a base64 character; -1 for bytes outside of the alphabet. */
export function base64Value(byte: number): number {
  return sextets[byte] ?? -1;
}

function buildSextets(): Int8Array {
  const table = new Int8Array(256).fill(-1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let value = 0; value < alphabet.length; value += 1) table[alphabet.charCodeAt(value)] = value;
  return table;
}
