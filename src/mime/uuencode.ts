import { cr, lf, space as blank } from "./source.ts";

/**
 * Decodes a uuencoded body (`begin <mode> <name>` … `end`, POSIX uuencode): the first file in it, or the whole body if
 * there is no `begin`. Lines that lost trailing blanks, which encode zeros, are completed, as long as the added bytes
 * do not exceed the size of the body.
 */
export function decodeUuencode(raw: Buffer, start: number, end: number): Buffer {
  const out = Buffer.allocUnsafe(uuencodedLength(raw, start, end));
  scan(raw.subarray(start, end), out);
  return out;
}

/** Returns `decodeUuencode(raw, start, end).length` without allocating. */
export function uuencodedLength(raw: Buffer, start: number, end: number): number {
  return scan(raw.subarray(start, end), null);
}

/** Writes the decoded bytes to `out`, if given, and counts them. */
function scan(bytes: Buffer, out: Buffer | null): number {
  let missing = bytes.length;
  let length = 0;
  let position = dataStart(bytes);
  while (position < bytes.length) {
    const { content, next } = endOfLine(bytes, position);
    if (isEnd(bytes, position, content)) break;
    const characters = content - position;
    const declared = characters === 0 ? 0 : sextet(bytes[position] ?? 0);
    const held = Math.min(declared, Math.floor((Math.max(0, characters - 1) * 3) / 4));
    const count = declared - held <= missing ? declared : held;
    missing -= count - held;
    if (out !== null) {
      // The last bits of a truncated line may begin one more byte; the missing blanks are zeros.
      const written = Math.min(count, held + 1);
      decodeLine(bytes.subarray(position, content), written, out.subarray(length));
      out.fill(0, length + written, length + count);
    }
    length += count;
    position = next;
  }
  return length;
}

function isEnd(bytes: Buffer, start: number, end: number): boolean {
  return end === start + 3 && bytes[start] === 0x65 && bytes[start + 1] === 0x6e && bytes[start + 2] === 0x64;
}

function dataStart(bytes: Buffer): number {
  if (bytes.toString("latin1", 0, 6) === "begin ") return endOfLine(bytes, 0).next;
  const begin = bytes.indexOf("\nbegin ");
  return begin === -1 ? 0 : endOfLine(bytes, begin + 1).next;
}

function endOfLine(bytes: Buffer, from: number): { content: number; next: number } {
  const at = bytes.indexOf(lf, from);
  const next = at === -1 ? bytes.length : at + 1;
  let content = at === -1 ? bytes.length : at;
  while (content > from && bytes[content - 1] === cr) content -= 1;
  return { content, next };
}

/** Writes `count` bytes of a line: its first character encodes the number of bytes, every other one six bits. */
function decodeLine(line: Buffer, count: number, out: Buffer): void {
  for (let index = 0; index < count; index += 1) {
    const group = 1 + Math.floor(index / 3) * 4;
    const first = sextet(line[group + (index % 3)] ?? blank);
    const second = sextet(line[group + (index % 3) + 1] ?? blank);
    const shift = (index % 3) * 2;
    out[index] = ((first << (2 + shift)) | (second >> (4 - shift))) & 0xff;
  }
}

function sextet(byte: number): number {
  return (byte - 32) & 0x3f;
}
