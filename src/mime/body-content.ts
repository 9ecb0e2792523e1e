import { base64Length, decodeBase64 } from "./base64.ts";
import { decodeCharset, isAsciiSuperset } from "./charset.ts";
import { withLfBytes, withLfLineEnds, TextBuilder } from "./line-ends.ts";
import type { PartContent, PartText, TransferEncoding } from "./part.ts";
import { decodeQuotedPrintable, decodeQuotedPrintableText, quotedPrintableLength } from "./quoted-printable.ts";
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
function uuencodedLength(raw: Buffer, start: number, end: number): number {
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

/** Decoder of a transfer encoding for `raw[start, end)`, and the length of its result. */
interface Codec {
  readonly decode: (raw: Buffer, start: number, end: number) => Buffer;
  readonly length: (raw: Buffer, start: number, end: number) => number;
}

const codecs: Readonly<Record<TransferEncoding, Codec>> = {
  identity: {
    decode: (raw, start, end) => raw.subarray(start, end),
    length: (_raw, start, end) => end - start,
  },
  base64: { decode: decodeBase64, length: base64Length },
  "quoted-printable": { decode: decodeQuotedPrintable, length: quotedPrintableLength },
  uuencode: { decode: decodeUuencode, length: uuencodedLength },
};

/**
 * Returns the part's content decoded from its transfer encoding. May share memory with `raw`, so the caller must not
 * modify it.
 */
export function decodeBytes(raw: Uint8Array, part: PartContent): Uint8Array {
  return codecs[part.transferEncoding].decode(bufferOf(raw), part.bodyStart, part.bodyEnd);
}

/** Returns `decodeBytes(raw, part).length` in bytes without retaining the decoded bytes. */
export function decodedLength(raw: Uint8Array, part: PartContent): number {
  return codecs[part.transferEncoding].length(bufferOf(raw), part.bodyStart, part.bodyEnd);
}

/**
 * Returns the part's content as text: transfer encoding and charset decoded, byte order mark removed, CRLF, CR and LF
 * replaced by LF, `format=flowed` paragraphs joined (RFC 3676).
 */
export function decodeText(raw: Uint8Array, part: PartText): string {
  const text = withLfLineEnds(decodeCharset(decodeTextBytes(bufferOf(raw), part), part.charset));
  return part.flow === "fixed" ? text : unflow(text, part.flow === "flowed-delsp");
}

/** Returns the part's decoded content; its line ends may be LF already, which saves a copy of the text. */
function decodeTextBytes(raw: Buffer, part: PartText): Buffer {
  const { transferEncoding, charset, bodyStart, bodyEnd } = part;
  if (transferEncoding === "quoted-printable" && isAsciiSuperset(charset)) {
    return decodeQuotedPrintableText(raw, bodyStart, bodyEnd);
  }
  const bytes = bufferOf(decodeBytes(raw, part));
  return transferEncoding === "identity" && isAsciiSuperset(charset) ? withLfBytes(bytes) : bytes;
}

/** Returns the texts of several body parts joined by a line feed; null for an empty list. */
export function joinTexts(raw: Uint8Array, parts: readonly PartText[]): string | null {
  if (parts.length === 0) return null;
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return decodeText(raw, first);
  return parts.map((part) => decodeText(raw, part)).join("\n");
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Joins the lines of `format=flowed` text (RFC 3676 §4): a line that ends in a blank continues in the next one of the
 * same quote depth, stuffed blanks are removed, the signature separator `-- ` stays a separate line. With
 * `deletesSpace` (DelSp=yes) the blank before the line end is removed. Line ends are LF.
 */
export function unflow(text: string, deletesSpace: boolean): string {
  const unflowed = new TextBuilder();
  let open: FlowedLine | null = null;
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = readLine(text.slice(start, end));
    const isContinuation: boolean = open !== null && open.depth === line.depth && !line.isSignature;
    if (!isContinuation) {
      if (start > 0) unflowed.append("\n");
      if (line.depth > 0) unflowed.append(`${">".repeat(line.depth)} `);
    }
    unflowed.append(line.goesOn && deletesSpace ? line.content.slice(0, -1) : line.content);
    open = line.goesOn ? line : null;
    start = end + 1;
  }
  return unflowed.toString();
}

interface FlowedLine {
  readonly depth: number;
  readonly content: string;
  readonly isSignature: boolean;
  readonly goesOn: boolean;
}

function readLine(line: string): FlowedLine {
  const depth = quoteDepth(line);
  const content = line.slice(line.startsWith(" ", depth) ? depth + 1 : depth);
  const isSignature = content === "-- ";
  return { depth, content, isSignature, goesOn: content.endsWith(" ") && !isSignature };
}

function quoteDepth(line: string): number {
  let depth = 0;
  while (line[depth] === ">") depth += 1;
  return depth;
}
