import { freeMemory } from "../../core/process-resources.ts";
import { mainTurns } from "../../core/shared-turns.ts";

const lf = 0x0a;
const cr = 0x0d;

/** Line without its line end, `hasCr` unless that was a bare LF; `overlong` for a line over the limit, `partial` before the end of a line. */
type LineRead =
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

/** Commands that a client may send without waiting before others have their turns; a mail has some for each recipient. */
const burstCountMax = 20;
/** First byte of a TLS handshake record (RFC 8446 §5.1). */
const tlsHandshakeRecord = 0x16;

/** Reader of mail content. */
export interface ContentReader {
  /** True once the end of the content has been read; nothing is read after it. */
  readonly isComplete: boolean;
  /** Milliseconds after which a reader that left bytes of a chunk reads on; others read all. */
  readonly pauseMs?: number;
  /** Reads from `offset` and returns the offset after the last byte that it read. */
  read(chunk: Buffer, offset: number): number;
  /** Leaves a chunk that {@link read} has read from its start to its end to the reader, which frees it. */
  adopt?(chunk: Buffer): void;
}

/** Reason for which a connection delivers no further input; `left`: the client closed its side. */
export type InputEnd = "closed" | "left" | "idle" | "too_slow" | "shutdown";

/** Input of a client; `handshake`: it starts TLS on a port without implicit TLS. */
export type InputRead =
  | Exclude<LineRead, { readonly kind: "partial" }>
  | { readonly kind: "handshake" }
  | { readonly kind: "end"; readonly reason: InputEnd };

/** Effects of {@link SmtpInput} on its connection. */
interface InputOptions {
  readonly lineBytesMax: number;
  /** Returns whether the connection has no TLS. */
  readonly isClear: () => boolean;
  /** Stops and continues the calls of `take`. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Waits between two reads of a slowed-down content. */
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Input of a client, independent of its division into chunks. Read on demand, so that a client is read no faster than its
 * commands are executed; holds at most what arrived before the client was paused, and one line.
 */
export class SmtpInput {
  readonly #options: InputOptions;
  readonly #lines: LineReader;
  #unread: Buffer | null = null;
  #offset = 0;
  /** True when content may refer to the memory of the unread chunk. */
  #isShared = false;
  #hasRead = false;
  #isWaiting = false;
  #isThrottled = false;
  /** Whether the unread bytes arrived after the session had begun to wait for them. */
  #isAwaited = true;
  /** Commands since the session last waited for bytes. */
  #burstCount = 0;
  #end: InputEnd | null = null;
  #wake: () => void = () => undefined;

  constructor(options: InputOptions) {
    this.#options = options;
    this.#lines = new LineReader(options.lineBytesMax);
  }

  /** True while a read waits for bytes. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** True while a read of content waits by itself. */
  get isThrottled(): boolean {
    return this.#isThrottled;
  }

  /** Reason for which the input ended; null before. */
  get end(): InputEnd | null {
    return this.#end;
  }

  /** Receives a chunk, which is freed when it has been read, if it has memory of its own. */
  take(chunk: Buffer): void {
    this.#isShared = this.#unread !== null;
    if (this.#unread === null) {
      this.#isAwaited = this.#isWaiting;
      this.#unread = chunk;
    } else this.#unread = Buffer.concat([this.#unread.subarray(this.#offset), chunk]);
    this.#offset = 0;
    if (!this.#isWaiting) this.#options.pause();
    this.#wake();
  }

  /** Drops the unread bytes. */
  drop(): void {
    this.#unread = null;
  }

  /** Ends the input; bytes that a client sent before it closed its side are still read. */
  endWith(reason: InputEnd): void {
    if (reason === "closed") this.#unread = null;
    this.#end = reason === "closed" ? reason : (this.#end ?? reason);
    this.#wake();
  }

  /** Returns whether the command that was read last was sent before the reply to the one before it, and marks it as read. */
  takePipelined(): boolean {
    const isPipelined = !this.#isAwaited;
    this.#isAwaited = false;
    return isPipelined;
  }

  /** Reads the next line. Lines that a client sends without waiting let others have their turns. */
  async readLine(): Promise<InputRead> {
    this.#burstCount += 1;
    if (this.#burstCount > burstCountMax && this.#unread !== null) await mainTurns.next();
    for (;;) {
      const reason = this.#reason;
      if (reason !== null) return { kind: "end", reason };
      const chunk = this.#unread;
      if (chunk === null) await this.#fill();
      else if (this.#startsHandshake(chunk)) return { kind: "handshake" };
      else {
        const read = this.#lines.read(chunk, this.#offset);
        this.#advance(read.next);
        if (this.#unread === null && !this.#isShared) freeMemory(chunk);
        if (read.kind !== "partial") return read;
      }
    }
  }

  /** Reads content until it is complete; returns the number of bytes, null when the input ends before. */
  async readContent(reader: ContentReader): Promise<number | null> {
    let sizeBytes = 0;
    while (!reader.isComplete) {
      const end = this.#reason;
      // A service that stops still stores the mail that it reads.
      if (end !== null && end !== "shutdown") return null;
      if (this.#unread === null) await this.#fill();
      else {
        sizeBytes += this.#readChunk(reader, this.#unread);
        if (this.#unread !== null && !reader.isComplete) await this.#pace(reader.pauseMs ?? 0);
      }
    }
    return sizeBytes;
  }

  #readChunk(reader: ContentReader, chunk: Buffer): number {
    const start = this.#offset;
    this.#advance(reader.read(chunk, start));
    if (start === 0 && this.#unread === null && !this.#isShared) reader.adopt?.(chunk);
    this.#isShared = true;
    return this.#offset - start;
  }

  /** Reason for which nothing further is read; what a client sent before it closed its side still is. */
  get #reason(): InputEnd | null {
    return this.#end === "left" && this.#unread !== null ? null : this.#end;
  }

  #startsHandshake(chunk: Buffer): boolean {
    const isFirst = !this.#hasRead;
    this.#hasRead = true;
    return isFirst && chunk[0] === tlsHandshakeRecord && this.#options.isClear();
  }

  #advance(offset: number): void {
    this.#offset = offset;
    if (this.#unread !== null && offset >= this.#unread.length) this.#unread = null;
  }

  async #fill(): Promise<void> {
    this.#options.resume();
    this.#burstCount = 0;
    this.#isWaiting = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#isWaiting = false;
  }

  async #pace(pauseMs: number): Promise<void> {
    this.#isThrottled = true;
    await this.#options.wait(pauseMs);
    this.#isThrottled = false;
  }
}
