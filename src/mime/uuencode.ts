import { cr, lf } from "./source.ts";

/**
 * The bytes of a uuencoded body (`begin <mode> <name>` … `end`, POSIX uuencode): the first file in it, or the whole
 * body when there is no `begin`. Lines that are cut short give what they hold.
 */
export function decodeUuencode(raw: Buffer, start: number, end: number): Buffer {
  const bytes = raw.subarray(start, end);
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let position = dataStart(bytes);
  while (position < bytes.length) {
    const lineEnd = endOfLine(bytes, position);
    if (bytes.toString("latin1", position, lineEnd.content) === "end") break;
    length += decodeLine(bytes.subarray(position, lineEnd.content), out.subarray(length));
    position = lineEnd.next;
  }
  return out.subarray(0, length);
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

/** The line's first character says how many bytes it holds, every other one carries six bits. */
function decodeLine(line: Buffer, out: Buffer): number {
  const declared = sextet(line[0] ?? 0);
  const length = Math.min(declared, Math.floor(((line.length - 1) * 3) / 4));
  for (let index = 0; index < length; index += 1) {
    const group = 1 + Math.floor(index / 3) * 4;
    const first = sextet(line[group + (index % 3)] ?? 0);
    const second = sextet(line[group + (index % 3) + 1] ?? 0);
    const shift = (index % 3) * 2;
    out[index] = ((first << (2 + shift)) | (second >> (4 - shift))) & 0xff;
  }
  return Math.max(0, length);
}

function sextet(byte: number): number {
  return (byte - 32) & 0x3f;
}
