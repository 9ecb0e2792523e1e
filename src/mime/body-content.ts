import { base64Length, decodeBase64 } from "./base64.ts";
import { decodeCharset } from "./charset.ts";
import { unflow } from "./format-flowed.ts";
import { withLfLineEnds } from "./line-ends.ts";
import type { PartContent, PartText, TransferEncoding } from "./part.ts";
import { decodeQuotedPrintable, quotedPrintableLength } from "./quoted-printable.ts";
import { decodeUuencode, uuencodedLength } from "./uuencode.ts";

/** How to undo a transfer encoding, and how long the result is, of `raw[start, end)`. */
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

/** The part's content with its transfer encoding undone, byte for byte. May share memory with `raw`: do not write. */
export function decodeBytes(raw: Uint8Array, part: PartContent): Uint8Array {
  return codecs[part.transferEncoding].decode(bufferOf(raw), part.bodyStart, part.bodyEnd);
}

/** `decodeBytes(raw, part).length` in bytes, without keeping the decoded bytes anywhere. */
export function decodedLength(raw: Uint8Array, part: PartContent): number {
  return codecs[part.transferEncoding].length(bufferOf(raw), part.bodyStart, part.bodyEnd);
}

/**
 * The part's content as text: transfer encoding and charset undone, byte order mark dropped, every line end (CRLF, CR,
 * LF) a single LF, `format=flowed` paragraphs joined (RFC 3676).
 */
export function decodeText(raw: Uint8Array, part: PartText): string {
  const bytes = decodeBytes(raw, part);
  const decoded = decodeCharset(bufferOf(bytes), part.charset);
  const text = withLfLineEnds(decoded);
  return part.flow === "fixed" ? text : unflow(text, part.flow === "flowed-delsp");
}

/** The texts of several body parts as one, a line end between two; null when there are none. */
export function joinTexts(raw: Uint8Array, parts: readonly PartText[]): string | null {
  if (parts.length === 0) return null;
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return decodeText(raw, first);
  return parts.map((part) => decodeText(raw, part)).join("\n");
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
