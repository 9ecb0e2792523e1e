/** Line of a file or stream. */
export interface Line {
  /** Line number, from 1. */
  readonly number: number;
  /** Content without its line feed. */
  readonly bytes: Buffer;
  /** Whether the line ends with a line feed. */
  readonly isWhole: boolean;
}

const lineFeed = 0x0a;

/**
 * Splits bytes at line feeds; yields for each chunk all lines that end in it. Holds at most one line and one chunk in memory.
 * Throws an `Error` that names the first line longer than `lineBytesMax`.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<readonly Line[]> {
  let number = 1;
  let pieces: Buffer[] = [];
  let piecesBytes = 0;
  const refuseLong = (sizeBytes: number): void => {
    if (sizeBytes > lineBytesMax) throw new Error(`line ${number} has more than ${lineBytesMax} bytes`);
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Line[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      refuseLong(piecesBytes + end - start);
      const last = bytes.subarray(start, end);
      lines.push({ number, bytes: pieces.length === 0 ? last : Buffer.concat([...pieces, last]), isWhole: true });
      pieces = [];
      piecesBytes = 0;
      number += 1;
      start = end + 1;
    }
    refuseLong(piecesBytes + bytes.length - start);
    if (start < bytes.length) pieces.push(Buffer.from(bytes.subarray(start)));
    piecesBytes += bytes.length - start;
    if (lines.length > 0) yield lines;
  }
  if (piecesBytes > 0) yield [{ number, bytes: Buffer.concat(pieces), isWhole: false }];
}

/** Conversion between CRLF, which SMTP uses (RFC 5321 §2.3.8), and LF, which mailbox files use. */

const cr = 0x0d;
const lf = 0x0a;

/** Decodes bytes as Latin-1 and replaces each CRLF by LF; takes memory for the result only, as {@link toCrLf} does. */
export function toLf(raw: Uint8Array): string {
  const target = Buffer.allocUnsafe(raw.byteLength);
  let length = 0;
  for (let at = 0; at < raw.byteLength; at += 1) {
    const byte = raw[at] ?? 0;
    if (byte === cr && raw[at + 1] === lf) continue;
    target[length] = byte;
    length += 1;
  }
  return target.toString("latin1", 0, length);
}

/** Encodes a Latin-1 text and replaces each LF without a preceding CR by CRLF. */
export function toCrLf(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const isBare = (at: number): boolean => bytes[at] === lf && bytes[at - 1] !== cr;
  let bareCount = 0;
  for (let at = bytes.indexOf(lf); at >= 0; at = bytes.indexOf(lf, at + 1)) if (isBare(at)) bareCount += 1;
  if (bareCount === 0) return bytes;
  const target = Buffer.allocUnsafe(bytes.length + bareCount);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (isBare(at)) target[length++] = cr;
    target[length++] = bytes[at] ?? 0;
  }
  return target;
}
