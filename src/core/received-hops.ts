import { hopCountMax } from "./limits.ts";

/** Bytes of a header section in which Received fields are counted; a mail of a loop has them at its start. */
const searchedBytesMax: number = 256 * 1024;
const name = Buffer.from("received:");

/** Returns whether a mail has more than {@link hopCountMax} Received fields (RFC 5321 §6.3). Linear in its header section. */
export function hasTooManyHops(raw: Uint8Array): boolean {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, searchedBytesMax));
  let count = 0;
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0x0a, start);
    const next = end === -1 ? bytes.length : end + 1;
    if (next - start <= 2 && (bytes[start] === 0x0a || bytes[start] === 0x0d)) return false;
    if (isReceived(bytes, start)) count += 1;
    if (count > hopCountMax) return true;
    start = next;
  }
  return false;
}

function isReceived(bytes: Buffer, start: number): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const byte = bytes[start + at] ?? 0;
    if ((byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte) !== name[at]) return false;
  }
  return true;
}
