/** Readers of the content of a mail: of DATA, of BDAT, and of both at a limited rate. */
import type { Clock } from "../../core/clock.ts";
import type { ContentReader } from "./input.ts";
import type { ContentSink } from "./mail-buffer.ts";

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

/** Reader of a fixed number of octets: one chunk of BDAT (RFC 3030 §2). Drops them without a sink. */
export class OctetReader implements ContentReader {
  readonly #sink: ContentSink | null;
  #octetsLeft: number;

  constructor(octetCount: number, sink: ContentSink | null) {
    this.#octetsLeft = octetCount;
    this.#sink = sink;
  }

  get isComplete(): boolean {
    return this.#octetsLeft === 0;
  }

  read(chunk: Buffer, offset: number): number {
    const end = Math.min(chunk.length, offset + this.#octetsLeft);
    this.#octetsLeft -= end - offset;
    this.#sink?.add(chunk, offset, end);
    return end;
  }

  adopt(chunk: Buffer): void {
    this.#sink?.adopt?.(chunk);
  }
}

/** Time whose bytes are read at once: a throttled session sets at most four timers a second. */
const periodMs = 250;

/** Error of the sums below, in bytes; without it a pause that is long enough could be followed by another one. */
const roundingError = 1e-6;

/** Rate limit of the content of one mail: at most the bytes of {@link periodMs} at once, and at least one byte. */
export class Throttle {
  readonly #bytesPerSecond: number;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #burstBytes: number;
  #availableBytes = 0;
  #isLifted = false;
  #refilledAt: number;

  constructor(bytesPerSecond: number, clock: Pick<Clock, "monotonicMs">) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#clock = clock;
    this.#burstBytes = Math.ceil((bytesPerSecond * periodMs) / 1000);
    this.#refilledAt = clock.monotonicMs();
  }

  /** Takes and returns the number of bytes that may be read now, at most `wanted`. */
  take(wanted: number): number {
    if (this.#isLifted) return wanted;
    const now = this.#clock.monotonicMs();
    const refill = ((now - this.#refilledAt) * this.#bytesPerSecond) / 1000;
    this.#refilledAt = now;
    this.#availableBytes = Math.min(this.#burstBytes, this.#availableBytes + refill);
    const taken = Math.min(wanted, Math.floor(this.#availableBytes + roundingError));
    this.#availableBytes -= taken;
    return taken;
  }

  /** Removes the limit. */
  lift(): void {
    this.#isLifted = true;
  }

  /** Milliseconds until the largest number of bytes may be read at once; at least 1. */
  get pauseMs(): number {
    return Math.max(1, Math.ceil(((this.#burstBytes - this.#availableBytes) * 1000) / this.#bytesPerSecond));
  }
}

/** Reader that reads from another one no faster than a throttle allows. */
export class ThrottledReader implements ContentReader {
  readonly #reader: ContentReader;
  readonly #throttle: Throttle;

  constructor(reader: ContentReader, throttle: Throttle) {
    this.#reader = reader;
    this.#throttle = throttle;
  }

  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  get pauseMs(): number {
    return this.#throttle.pauseMs;
  }

  read(chunk: Buffer, offset: number): number {
    const size = this.#throttle.take(chunk.length - offset);
    return size === 0 ? offset : this.#reader.read(chunk.subarray(0, offset + size), offset);
  }
}
