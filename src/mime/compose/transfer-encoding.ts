/** Content transfer encodings (RFC 2045 §6) of composed mail. */
import { isAscii } from "node:buffer";

/** Maximum length of a line (RFC 2045 §6.7 and §6.8). */
const lineLengthMax = 76;
/** Bytes that one line of base64 holds. */
const base64LineBytes = (lineLengthMax / 4) * 3;
/** Lines of base64 in one chunk: about 256 kB. */
const base64ChunkLines = 3400;
/** Bytes of content in one chunk of quoted-printable, which are at most three times as long encoded. */
const quotedChunkBytes = 64 * 1024;
const tab = 9;
const lf = 10;
const cr = 13;
const space = 32;
const equals = 61;
const weights = (weigh: (byte: number) => number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => weigh(byte));
/**
 * Number of characters that must fit on a line of quoted-printable for a byte: none for a line end, and those of the whole
 * character for its first byte. A blank is encoded, as three, before a line end and at the end of the text.
 */
const widths = weights((byte) => {
  if (byte === cr || byte === lf) return 0;
  if (byte === tab || (byte >= space && byte <= 126 && byte !== equals)) return 1;
  return 3 * (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);
});
/** 1 for each letter of ASCII. */
const letters = weights((byte) => ((byte | 32) >= 97 && (byte | 32) <= 122 && byte < 128 ? 1 : 0));
/** 1 for control characters and the first byte of other characters, 2 outside of the Basic Multilingual Plane. */
const others = weights((byte) => {
  if (byte >= 0xc0) return byte >= 0xf0 ? 2 : 1;
  return byte < space && byte !== tab && byte !== cr && byte !== lf ? 1 : 0;
});
const hexDigits = Buffer.from("0123456789ABCDEF", "latin1");

/** Writes bytes as base64 in lines of 76 characters, without a line end after the last, in chunks of about 256 kB. */
export function* base64Lines(bytes: Uint8Array): Generator<Buffer> {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const step = base64LineBytes * base64ChunkLines;
  for (let start = 0; start < content.length; start += step) {
    const text = Buffer.from(content.toString("base64", start, start + step), "latin1");
    yield intoLines(text, { isLast: start + step >= content.length });
  }
}

function intoLines(text: Buffer, { isLast }: { readonly isLast: boolean }): Buffer {
  const ends = Math.ceil(text.length / lineLengthMax) - (isLast ? 1 : 0);
  const lines = Buffer.allocUnsafe(text.length + 2 * ends);
  let size = 0;
  for (let start = 0; start < text.length; start += lineLengthMax) {
    size += text.copy(lines, size, start, start + lineLengthMax);
    if (size === lines.length) break;
    lines[size++] = cr;
    lines[size++] = lf;
  }
  return lines;
}

/**
 * Writes text with CRLF line ends as quoted-printable in lines of at most 76 characters, in chunks of at most about 200 kB.
 * Characters are not split between lines, because some readers decode line by line.
 */
export function* quotedPrintable(bytes: Uint8Array): Generator<Buffer> {
  let lineLength = 0;
  for (let start = 0; start < bytes.length; start += quotedChunkBytes) {
    const quoted = quote(bytes, start, lineLength);
    lineLength = quoted.lineLength;
    yield quoted.chunk;
  }
}

/** As {@link quotedPrintable}, of text without CR: line feeds are content, and are decoded as such (RFC 2045 §6.7, rule 4). */
export function* quotedPrintableLf(bytes: Uint8Array): Generator<Buffer> {
  for (const chunk of quotedPrintable(bytes)) {
    const text = chunk.toString("latin1");
    // Soft line breaks have a CR; a line feed without one is of the content.
    const written = text.replace(/(?<!\r)\n/g, (_, at: number) => {
      const lineLength = at - (text.lastIndexOf("\n", at - 1) + 1);
      return lineLength + lineFeed.length > lineLengthMax ? `=\r\n${lineFeed}\r\n` : `${lineFeed}\r\n`;
    });
    yield Buffer.from(written, "latin1");
  }
}

/** Encoded line feed, and the soft break after it. */
const lineFeed = "=0A=";

interface Quoted {
  readonly chunk: Buffer;
  readonly lineLength: number;
}

/** Writes one chunk of content; the length of the line at its start and at its end is without the line end. */
function quote(bytes: Uint8Array, start: number, startLength: number): Quoted {
  const end = Math.min(start + quotedChunkBytes, bytes.length);
  // A byte takes at most three characters, and every line of at least 64 characters three more for its soft break.
  const chunk = Buffer.allocUnsafe((end - start) * 4 + lineLengthMax);
  let lineLength = startLength;
  let size = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    const isBlank = byte === space || byte === tab;
    const width = isBlank && isLineEnd(bytes, at + 1) ? 3 : (widths[byte] ?? 3);
    if (lineLength + width >= lineLengthMax) {
      chunk[size++] = equals;
      chunk[size++] = cr;
      chunk[size++] = lf;
      lineLength = 0;
    }
    if (width <= 1) chunk[size++] = byte;
    else {
      chunk[size++] = equals;
      chunk[size++] = hexDigits[byte >> 4] ?? 0;
      chunk[size++] = hexDigits[byte & 15] ?? 0;
    }
    lineLength = width === 0 ? 0 : lineLength + Math.min(width, 3);
  }
  // A copy, which does not keep the rest of the chunk in memory.
  return { chunk: Buffer.from(chunk.subarray(0, size)), lineLength };
}

function isLineEnd(bytes: Uint8Array, at: number): boolean {
  return at >= bytes.length || bytes[at] === cr || bytes[at] === lf;
}

/** Size from which text is not scanned for long lines. */
const shortTextBytesMax = 128 * 1024;

/**
 * Returns the encoding of UTF-8 text with CRLF line ends: if `allows8bit`, that of {@link identityEncoding}; else `7bit`
 * for ASCII in lines of at most 76 characters, `quoted-printable` if most characters are letters of ASCII, and `base64`.
 */
export function encodingOfText(
  bytes: Uint8Array,
  allows8bit: boolean,
): "7bit" | "8bit" | "quoted-printable" | "base64" {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const identity = allows8bit ? encodingOfLines(content) : null;
  if (identity !== null) return identity;
  const text = content.toString("latin1");
  // Regular expressions are faster than a loop, and most text is ASCII or nearly so.
  const isPlain = !/[^\t\n\r -\u007f]/.test(text);
  if (isPlain && text.length <= shortTextBytesMax && !/[^\r\n]{77}/.test(text)) return "7bit";
  return isMostlyLetters(bytes) ? "quoted-printable" : "base64";
}

function isMostlyLetters(bytes: Uint8Array): boolean {
  let surplus = 0;
  for (let at = 0; at < bytes.length; at += 1) surplus += others[bytes[at] ?? 0] ?? 0;
  for (let at = 0; at < bytes.length && surplus >= 0; at += 1) surplus -= letters[bytes[at] ?? 0] ?? 0;
  return surplus < 0;
}

/** Longest line of a mail in bytes (RFC 5322 §2.1.1). */
const lineBytesMax = 998;

/**
 * Returns the transfer encoding under which bytes can be sent unchanged: CRLF line ends only, no long lines, no NUL;
 * null if they cannot.
 */
export function identityEncoding(bytes: Uint8Array): "7bit" | "8bit" | null {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return /\r(?!\n)|(?<!\r)\n/.test(content.toString("latin1")) ? null : encodingOfLines(content);
}

/** As {@link identityEncoding}, of content that is known to have CRLF line ends only. */
function encodingOfLines(content: Buffer): "7bit" | "8bit" | null {
  if (content.includes(0)) return null;
  for (let start = 0; content.length - start > lineBytesMax;) {
    const end = content.lastIndexOf(lf, start + lineBytesMax + 1);
    if (end < start) return null;
    start = end + 1;
  }
  return isAscii(content) ? "7bit" : "8bit";
}
