const lf = 0x0a;
const cr = 0x0d;

/** A line that was read, without its end; `overlong` in place of one that passed the bound, `partial` before its end. */
export type LineRead =
  | { readonly kind: "partial"; readonly next: number }
  | { readonly kind: "overlong"; readonly next: number }
  | { readonly kind: "line"; readonly next: number; readonly text: string };

/**
 * Cuts command lines out of a stream. A line ends with CRLF or, as scripts send it, with LF alone; octets that are not
 * UTF-8 become U+FFFD. Of a line longer than the bound nothing is kept and nothing becomes a command: it is reported
 * once its end was seen. Holds at most `lineBytesMax` bytes.
 */
export class LineReader {
  readonly #lineBytesMax: number;
  #held: Buffer | null = null;
  #heldBytes = 0;
  #isOverlong = false;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** Reads from `offset` to the end of the line or of the chunk; `next` is the offset behind what was read. */
  read(chunk: Buffer, offset: number): LineRead {
    const lineEnd = chunk.indexOf(lf, offset);
    const next = lineEnd === -1 ? chunk.length : lineEnd + 1;
    if (this.#isOverlong || this.#heldBytes + next - offset > this.#lineBytesMax) {
      this.#isOverlong = lineEnd === -1;
      this.#heldBytes = 0;
      return { kind: this.#isOverlong ? "partial" : "overlong", next };
    }
    if (lineEnd !== -1 && this.#heldBytes === 0) return { kind: "line", next, text: textOf(chunk, offset, lineEnd) };
    this.#held ??= Buffer.allocUnsafe(this.#lineBytesMax);
    this.#heldBytes += chunk.copy(this.#held, this.#heldBytes, offset, next);
    if (lineEnd === -1) return { kind: "partial", next };
    const text = textOf(this.#held, 0, this.#heldBytes - 1);
    this.#heldBytes = 0;
    return { kind: "line", next, text };
  }
}

function textOf(bytes: Buffer, start: number, lineEnd: number): string {
  const end = lineEnd > start && bytes[lineEnd - 1] === cr ? lineEnd - 1 : lineEnd;
  return bytes.toString("utf8", start, end);
}
