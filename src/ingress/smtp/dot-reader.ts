import type { ContentSink } from "./mail-buffer.ts";
import type { ContentReader } from "./input.ts";

const cr = 0x0d;
const lf = 0x0a;
const dot = 0x2e;
const dotLine = Buffer.from("\n.");
const heldCr = Buffer.from("\r");
const heldDot = Buffer.from(".");

/** End of the previous chunk: the longest prefix of CRLF.CRLF, or a bare LF, with a dot or without. */
type Boundary = "none" | "cr" | "crlf" | "crlf-dot" | "crlf-dot-cr" | "end" | "lf" | "lf-dot";

/** Byte that continues each boundary, and the boundary that follows. */
const continuations: Partial<Record<Boundary, { readonly byte: number; readonly next: Boundary }>> = {
  cr: { byte: lf, next: "crlf" },
  crlf: { byte: dot, next: "crlf-dot" },
  "crlf-dot": { byte: cr, next: "crlf-dot-cr" },
  "crlf-dot-cr": { byte: lf, next: "end" },
  lf: { byte: dot, next: "lf-dot" },
};

/**
 * Reader of the content of DATA up to CRLF.CRLF. LF.LF, LF.CRLF and CR.CR do not end it. Removes the first dot of a line
 * (RFC 5321 §4.5.2), where CRLF starts a line, and the first of two dots after a bare LF: clients that send bare LF either
 * double the dots after it, as Python's `sendmail` does with bytes, or leave them alone, as curl does. Keeps every other byte,
 * including the CRLF before the final dot. Linear in the bytes, for any division into chunks.
 */
export class DotReader implements ContentReader {
  readonly #sink: ContentSink;
  // The DATA command line ended with CRLF: a dot may follow immediately.
  #boundary: Boundary = "crlf";

  constructor(sink: ContentSink) {
    this.#sink = sink;
  }

  get isComplete(): boolean {
    return this.#boundary === "end" || this.#sink.isExcessive;
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
    const continuation = continuations[boundary];
    this.#boundary = continuation !== undefined && byte === continuation.byte ? continuation.next : "none";
    if (this.#boundary !== "none") {
      if (boundary === "cr") this.#sink.add(chunk, at, at + 1);
      return at + 1;
    }
    if (boundary === "lf-dot" && byte !== dot) this.#sink.add(heldDot, 0, 1);
    if (boundary === "crlf-dot-cr") this.#sink.add(heldCr, 0, 1);
    return at;
  }

  /** Takes everything up to and including the next dot that may have to be removed, or the rest of the chunk. */
  #readLines(chunk: Buffer, at: number): number {
    let hit = chunk.indexOf(dotLine, at);
    // A single dot after a bare LF is content.
    while (hit !== -1 && !isAfterCr(chunk, hit, at) && hit + 2 < chunk.length && chunk[hit + 2] !== dot) {
      hit = chunk.indexOf(dotLine, hit + 2);
    }
    if (hit === -1) {
      this.#sink.add(chunk, at, chunk.length);
      this.#boundary = boundaryAtEnd(chunk, at);
      return chunk.length;
    }
    this.#sink.add(chunk, at, hit + 1);
    this.#boundary = isAfterCr(chunk, hit, at) ? "crlf-dot" : "lf-dot";
    return hit + 2;
  }
}

/** A CR before `from` belongs to no CRLF: {@link Boundary} would have had it. */
function isAfterCr(chunk: Buffer, position: number, from: number): boolean {
  return position > from && chunk[position - 1] === cr;
}

function boundaryAtEnd(chunk: Buffer, from: number): Boundary {
  const last = chunk.length - 1;
  if (chunk[last] === cr) return "cr";
  if (chunk[last] !== lf) return "none";
  return isAfterCr(chunk, last, from) ? "crlf" : "lf";
}
