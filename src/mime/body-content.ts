import { base64Length, decodeBase64 } from "./base64.ts";
import { decodeCharset, isAsciiSuperset } from "./charset.ts";
import { unflow } from "./format-flowed.ts";
import { withLfBytes, withLfLineEnds } from "./line-ends.ts";
import type { PartContent, PartText, TransferEncoding } from "./part.ts";
import { decodeQuotedPrintable, decodeQuotedPrintableText, quotedPrintableLength } from "./quoted-printable.ts";
import { decodeUuencode, uuencodedLength } from "./uuencode.ts";

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
