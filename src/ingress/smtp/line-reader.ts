const lf = 0x0a;
const cr = 0x0d;

/** Line without its line end, `hasCr` unless that was a bare LF; `overlong` for a line over the limit, `partial` before the end of a line. */
export type LineRead =
  | { readonly kind: "partial"; readonly next: number }
  | { readonly kind: "overlong"; readonly next: number }
  | { readonly kind: "line"; readonly next: number; readonly text: string; readonly hasCr: boolean };

/**
 * Reader of command lines. A line ends with CRLF or, as scripts send it, with a bare LF; octets that are not UTF-8 become
 * U+FFFD. Drops a line over the limit and reports it once, at its end. Holds at most `lineBytesMax` bytes.
 */
export class LineReader {
  readonly #lineBytesMax: number;
  #held: Buffer | null = null;
  #heldBytes = 0;
  #isOverlong = false;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** Reads from `offset` to the end of the line or of the chunk; `next` is the offset after the last byte read. */
  read(chunk: Buffer, offset: number): LineRead {
    const lineEnd = chunk.indexOf(lf, offset);
    const next = lineEnd === -1 ? chunk.length : lineEnd + 1;
    if (this.#isOverlong || this.#heldBytes + next - offset > this.#lineBytesMax) {
      this.#isOverlong = lineEnd === -1;
      this.#heldBytes = 0;
      return { kind: this.#isOverlong ? "partial" : "overlong", next };
    }
    if (lineEnd !== -1 && this.#heldBytes === 0) return { kind: "line", next, ...lineOf(chunk, offset, lineEnd) };
    this.#held ??= Buffer.allocUnsafe(this.#lineBytesMax);
    this.#heldBytes += chunk.copy(this.#held, this.#heldBytes, offset, next);
    if (lineEnd === -1) return { kind: "partial", next };
    const line = lineOf(this.#held, 0, this.#heldBytes - 1);
    this.#heldBytes = 0;
    return { kind: "line", next, ...line };
  }
}

function lineOf(bytes: Buffer, start: number, lineEnd: number): { readonly text: string; readonly hasCr: boolean } {
  const hasCr = lineEnd > start && bytes[lineEnd - 1] === cr;
  return { text: bytes.toString("utf8", start, hasCr ? lineEnd - 1 : lineEnd), hasCr };
}
