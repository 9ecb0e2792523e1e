import type { ContentSink } from "./mail-buffer.ts";
import type { ContentReader } from "./reply.ts";

const cr = 0x0d;
const lf = 0x0a;
const dot = 0x2e;
const dotLine = Buffer.from("\r\n.");
const heldCr = Buffer.from("\r");

/** Where a chunk ended, as far as it matters to the next: the longest beginning of CRLF.CRLF that it ended with. */
type Boundary = "none" | "cr" | "crlf" | "crlf-dot" | "crlf-dot-cr";

/**
 * Reads the content of DATA up to CRLF.CRLF, and nothing else ends it: not LF.LF, not LF.CRLF, not CR.CR. The first dot
 * of a line is removed (RFC 5321 §4.5.2), where a line begins after CRLF only; every other byte is kept, the CRLF before
 * the final dot included. Cost is linear in the bytes, wherever the chunks are cut.
 */
export class DotReader implements ContentReader {
  readonly #sink: ContentSink;
  // The line DATA itself ended in CRLF: a dot may follow at once.
  #boundary: Boundary = "crlf";
  #isComplete = false;

  constructor(sink: ContentSink) {
    this.#sink = sink;
  }

  get isComplete(): boolean {
    return this.#isComplete || this.#sink.isExcessive;
  }

  read(chunk: Buffer, offset: number): number {
    let at = offset;
    while (at < chunk.length && !this.isComplete) {
      at = this.#boundary === "none" ? this.#readLines(chunk, at) : this.#crossBoundary(chunk, at);
    }
    return at;
  }

  /** Takes at most one byte, the one that decides what the end of the chunk before was. */
  #crossBoundary(chunk: Buffer, at: number): number {
    const byte = chunk[at];
    const boundary = this.#boundary;
    this.#boundary = "none";
    if (boundary === "cr" && byte === lf) {
      this.#sink.add(chunk, at, at + 1);
      this.#boundary = "crlf";
      return at + 1;
    }
    if (boundary === "crlf" && byte === dot) {
      this.#boundary = "crlf-dot";
      return at + 1;
    }
    if (boundary === "crlf-dot" && byte === cr) {
      this.#boundary = "crlf-dot-cr";
      return at + 1;
    }
    if (boundary === "crlf-dot-cr" && byte === lf) {
      this.#isComplete = true;
      return at + 1;
    }
    if (boundary === "crlf-dot-cr") this.#sink.add(heldCr, 0, 1);
    return at;
  }

  /** Takes everything up to and including the next dot that begins a line, or the rest of the chunk. */
  #readLines(chunk: Buffer, at: number): number {
    const hit = chunk.indexOf(dotLine, at);
    if (hit === -1) {
      this.#sink.add(chunk, at, chunk.length);
      this.#boundary = boundaryAtEnd(chunk, at);
      return chunk.length;
    }
    this.#sink.add(chunk, at, hit + 2);
    this.#boundary = "crlf-dot";
    return hit + 3;
  }
}

function boundaryAtEnd(chunk: Buffer, from: number): Boundary {
  const last = chunk.length - 1;
  if (chunk[last] === cr) return "cr";
  return last > from && chunk[last] === lf && chunk[last - 1] === cr ? "crlf" : "none";
}
