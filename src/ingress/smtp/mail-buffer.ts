import type { ByteBudget } from "../../core/byte-budget.ts";
import { closing, overloaded, tooLarge, type Reply } from "./reply.ts";

/** Pieces below this size are gathered, so that a trickle of tiny ones costs at most about twice its bytes. */
const blockBytes = 16 * 1024;
/** Content beyond this size is copied into blocks of that size, whose memory is freed without waiting for the collector. */
const largeBlockBytes = 256 * 1024;
/** A client that sends this many times the limit will not stop by itself: its session ends. */
const excessFactor = 2;

/** Where content goes as it is read. */
export interface ContentSink {
  /** True when so much came that reading on to the end is no longer worth it. */
  readonly isExcessive: boolean;
  /** Takes the bytes of `source` from `start` to before `end`; the caller does not write to them again. */
  add(source: Buffer, start: number, end: number): void;
}

/**
 * The content of one mail while it comes in. Nothing is kept beyond the size limit of a mail, nor beyond what the
 * budget of all sessions allows; bytes that come after a refusal are counted and dropped.
 */
export class MailBuffer implements ContentSink {
  readonly #sizeBytesMax: number;
  readonly #budget: ByteBudget;
  #pieces: Buffer[] = [];
  /** Memory of blocks of large content, which nothing else uses. */
  readonly #largeBlocks = new Set<ArrayBufferLike>();
  /** Memory of a large mail that was joined. */
  #joined: ArrayBuffer | null = null;
  #block: Buffer<ArrayBuffer> | null = null;
  #blockUsed = 0;
  #sizeBytes = 0;
  #seenBytes = 0;
  #refusal: Reply | null = null;

  constructor(sizeBytesMax: number, budget: ByteBudget) {
    this.#sizeBytesMax = sizeBytesMax;
    this.#budget = budget;
  }

  /** Why the mail cannot be taken, as the reply to its end; null while it can. */
  get refusal(): Reply | null {
    return this.#refusal !== null && this.isExcessive ? closing(this.#refusal) : this.#refusal;
  }

  /** Bytes that are held. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get isExcessive(): boolean {
    return this.#seenBytes > excessFactor * this.#sizeBytesMax;
  }

  add(source: Buffer, start: number, end: number): void {
    const size = end - start;
    if (size <= 0) return;
    this.#seenBytes += size;
    if (this.#refusal !== null) return;
    if (this.#sizeBytes + size > this.#sizeBytesMax) this.#refuse(tooLarge);
    else if (!this.#budget.take(size)) this.#refuse(overloaded);
    else this.#keep(source, start, end);
  }

  /** All bytes in order; without a copy when they came in one piece. */
  toBytes(): Buffer {
    this.#closeBlock();
    const [first] = this.#pieces;
    if (first === undefined || this.#pieces.length > 1) this.#pieces = [this.#join()];
    return this.#pieces[0] ?? Buffer.alloc(0);
  }

  /**
   * Frees a large mail that {@link toBytes} joined, without waiting for the collector; to be called when nothing reads it any
   * more. The bytes stay counted until {@link release}.
   */
  freeStored(): void {
    this.#joined?.transfer(0);
    this.#joined = null;
    this.#pieces = [];
  }

  /** Forgets the content and gives its bytes back to the budget. */
  release(): void {
    for (const { buffer } of this.#pieces) this.#free(buffer);
    if (this.#block !== null) this.#free(this.#block.buffer);
    this.#pieces = [];
    this.#block = null;
    this.#blockUsed = 0;
    this.#budget.give(this.#sizeBytes);
    this.#sizeBytes = 0;
  }

  #refuse(refusal: Reply): void {
    this.#refusal = refusal;
    this.release();
  }

  #keep(source: Buffer, start: number, end: number): void {
    const isFirst = this.#sizeBytes === 0;
    const size = end - start;
    this.#sizeBytes += size;
    if (this.#sizeBytes > largeBlockBytes) {
      this.#copy(source, start, end);
      return;
    }
    if (isFirst || size >= blockBytes) {
      this.#closeBlock();
      this.#pieces.push(source.subarray(start, end));
      return;
    }
    if (this.#block === null || this.#blockUsed + size > blockBytes) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
    }
    this.#blockUsed += source.copy(this.#block, this.#blockUsed, start, end);
  }

  #copy(source: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end) {
      if (this.#block === null || this.#blockUsed === this.#block.length) {
        this.#closeBlock();
        this.#block = Buffer.allocUnsafeSlow(largeBlockBytes);
        this.#largeBlocks.add(this.#block.buffer);
      }
      const copied = source.copy(this.#block, this.#blockUsed, at, end);
      this.#blockUsed += copied;
      at += copied;
    }
  }

  /** Copies all pieces into one; each is freed when it is copied, so that the content is held about once. */
  #join(): Buffer {
    const joined = Buffer.allocUnsafeSlow(this.#sizeBytes);
    let at = 0;
    for (const piece of this.#pieces) {
      at += piece.copy(joined, at);
      this.#free(piece.buffer);
    }
    if (at > largeBlockBytes) this.#joined = joined.buffer;
    return joined;
  }

  #free(memory: ArrayBufferLike): void {
    if (this.#largeBlocks.delete(memory) && memory instanceof ArrayBuffer) memory.transfer(0);
  }

  #closeBlock(): void {
    if (this.#block !== null) this.#pieces.push(this.#block.subarray(0, this.#blockUsed));
    this.#block = null;
    this.#blockUsed = 0;
  }
}
