import type { ContentSink } from "./mail-buffer.ts";
import type { ContentReader } from "./reply.ts";

const cr = 0x0d;
const lf = 0x0a;
const dot = 0x2e;
const dotLine = Buffer.from("\r\n.");
const heldCr = Buffer.from("\r");

/** Longest prefix of CRLF.CRLF that the previous chunk ended with. */
type Boundary = "none" | "cr" | "crlf" | "crlf-dot" | "crlf-dot-cr";

/**
 * Reader of the content of DATA up to CRLF.CRLF. LF.LF, LF.CRLF and CR.CR do not end it. Removes the first dot of a line
 * (RFC 5321 §4.5.2), where only CRLF starts a line, and keeps every other byte, including the CRLF before the final dot.
 * Linear in the bytes, for any division into chunks.
 */
export class DotReader implements ContentReader {
  readonly #sink: ContentSink;
  // The DATA command line ended with CRLF: a dot may follow immediately.
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

  adopt(chunk: Buffer): void {
    this.#sink.adopt?.(chunk);
  }

  /** Reads at most one byte: the one that decides whether the boundary continues. */
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
