const lf = 0x0a;
const cr = 0x0d;
const dot = 0x2e;
const oneDot = Buffer.from(".");
const crlf = Buffer.from("\r\n");

/**
 * Yields a mail as the body of a multi-line response (RFC 1939 section 3): a dot is doubled at the beginning of a line, and
 * the last line ends with CRLF. With `bodyLineCount`, only the header section, the empty line and so many lines of the body
 * (TOP). The line with the final dot is left to the caller.
 */
export async function* dotStuffed(
  chunks: AsyncIterable<Uint8Array>,
  bodyLineCount: number = Infinity,
): AsyncGenerator<Uint8Array, void> {
  const lines = new LineScanner(bodyLineCount);
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    yield lines.scan(bytes);
    if (lines.isDone) break;
  }
  if (!lines.isAtLineStart) yield crlf;
}

/** Position in a mail that is read in chunks. */
class LineScanner {
  #isAtLineStart = true;
  /** Whether the current line has no byte but CR so far. */
  #isEmptyLine = true;
  #isInBody = false;
  #linesLeft: number;

  constructor(bodyLineCount: number) {
    this.#linesLeft = bodyLineCount;
  }

  get isAtLineStart(): boolean {
    return this.#isAtLineStart;
  }

  get isDone(): boolean {
    return this.#isInBody && this.#linesLeft <= 0;
  }

  /** Returns the stuffed form of the bytes that are still wanted. */
  scan(chunk: Buffer): Buffer {
    const pieces: Buffer[] = [];
    let from = 0;
    let at = 0;
    while (at < chunk.length && !this.isDone) {
      if (this.#isAtLineStart && chunk[at] === dot) {
        pieces.push(chunk.subarray(from, at), oneDot);
        from = at;
      }
      at = this.#passLine(chunk, at);
    }
    pieces.push(chunk.subarray(from, at));
    return Buffer.concat(pieces);
  }

  /** Passes the rest of a line; returns the position after it, or after the chunk. */
  #passLine(chunk: Buffer, at: number): number {
    const lineEnd = chunk.indexOf(lf, at);
    const end = lineEnd === -1 ? chunk.length : lineEnd;
    const isBlank = end === at || (end - at === 1 && chunk[at] === cr);
    if (!isBlank) this.#isEmptyLine = false;
    this.#isAtLineStart = lineEnd !== -1;
    if (lineEnd === -1) return end;
    this.#endLine();
    return end + 1;
  }

  #endLine(): void {
    if (this.#isInBody) this.#linesLeft -= 1;
    else if (this.#isEmptyLine) this.#isInBody = true;
    this.#isEmptyLine = true;
  }
}
