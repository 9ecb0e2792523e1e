import type { ByteBudget } from "../../core/byte-budget.ts";
import { freeMemory } from "../../core/process-resources.ts";
import { closing, overloaded, tooLarge, type Reply } from "./reply.ts";

/** Smaller chunks are gathered in blocks of this size, so that tiny ones take at most about twice their bytes. */
const blockBytes = 16 * 1024;
/** Content above this size is copied into blocks of that size, unless its chunks can be freed without a garbage collection. */
const largeBlockBytes = 256 * 1024;
/** Multiple of the size limit after which the session of the client closes. */
const excessFactor = 2;

/** Destination of content. */
export interface ContentSink {
  /** True when the client has sent too much to read it to the end. */
  readonly isExcessive: boolean;
  /** Adds the bytes of `source` from `start` to before `end`; the caller does not change them afterwards. */
  add(source: Buffer, start: number, end: number): void;
  /**
   * Leaves the memory of a source, to which nothing else refers, to the sink: it is freed with the content, or at once when
   * the content does not refer to it.
   */
  adopt?(source: Buffer): void;
}

/**
 * Content of one mail while it arrives. Holds at most the size limit of a mail and what the budget of all sessions allows;
 * after a refusal, bytes are counted and dropped.
 */
export class MailBuffer implements ContentSink {
  readonly #sizeBytesMax: number;
  readonly #budget: ByteBudget;
  #chunks: Buffer[] = [];
  /** Memory of chunks that is used by nothing else. */
  readonly #own = new Set<ArrayBufferLike>();
  /** Last source whose memory a chunk refers to. */
  #lastSource: ArrayBufferLike | null = null;
  /** Memory of the mail after {@link toBytes}, when it is used by nothing else. */
  #whole: ArrayBufferLike | null = null;
  #block: Buffer<ArrayBuffer> | null = null;
  #blockUsed = 0;
  #sizeBytes = 0;
  #seenBytes = 0;
  #refusal: Reply | null = null;

  constructor(sizeBytesMax: number, budget: ByteBudget) {
    this.#sizeBytesMax = sizeBytesMax;
    this.#budget = budget;
  }

  /** Reply that rejects the mail at its end; null while it can be stored. */
  get refusal(): Reply | null {
    return this.#refusal !== null && this.isExcessive ? closing(this.#refusal) : this.#refusal;
  }

  /** Number of bytes held. */
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
    else this.#store(source, start, end);
  }

  adopt(source: Buffer): void {
    const { buffer } = source;
    if (this.#lastSource !== buffer) freeMemory(source);
    else if (fillsMemory(source)) this.#own.add(buffer);
  }

  /**
   * Returns all bytes in order; without a copy when there is one chunk. {@link release} does not free them, because a failed
   * call may still read them.
   */
  toBytes(): Buffer {
    this.#closeBlock();
    const [first] = this.#chunks;
    if (first === undefined || this.#chunks.length > 1) this.#chunks = [this.#join()];
    else if (this.#own.delete(first.buffer)) this.#whole = first.buffer;
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  /**
   * Frees the mail that {@link toBytes} returned, without a garbage collection, unless its memory is shared. Nothing may read
   * it afterwards. The bytes stay counted until {@link release}.
   */
  freeStored(): void {
    if (this.#whole instanceof ArrayBuffer) this.#whole.transfer(0);
    this.#whole = null;
    this.#chunks = [];
  }

  /** Frees the content and returns its bytes to the budget. */
  release(): void {
    for (const { buffer } of this.#chunks) this.#free(buffer);
    if (this.#block !== null) this.#free(this.#block.buffer);
    this.#chunks = [];
    this.#lastSource = null;
    this.#block = null;
    this.#blockUsed = 0;
    this.#budget.give(this.#sizeBytes);
    this.#sizeBytes = 0;
  }

  #refuse(refusal: Reply): void {
    this.#refusal = refusal;
    this.release();
  }

  #store(source: Buffer, start: number, end: number): void {
    const isFirst = this.#sizeBytes === 0;
    const size = end - start;
    this.#sizeBytes += size;
    if (this.#sizeBytes > largeBlockBytes && !this.#keeps(source, size)) {
      this.#copy(source, start, end);
      return;
    }
    if (isFirst || size >= blockBytes) {
      this.#closeBlock();
      this.#chunks.push(source.subarray(start, end));
      this.#lastSource = source.buffer;
      return;
    }
    if (this.#block === null || this.#blockUsed + size > blockBytes) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
      this.#own.add(this.#block.buffer);
    }
    this.#blockUsed += source.copy(this.#block, this.#blockUsed, start, end);
  }

  /**
   * Whether a part of large content is kept where it is: in memory of its own, which the buffer usually adopts. A block that was
   * begun is filled first, so that chunks of changing sizes leave no blocks that are nearly empty.
   */
  #keeps(source: Buffer, size: number): boolean {
    const isBlockOpen = this.#block !== null && this.#blockUsed < this.#block.length;
    return size >= blockBytes && !isBlockOpen && fillsMemory(source);
  }

  #copy(source: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end) {
      if (this.#block === null || this.#blockUsed === this.#block.length) {
        this.#closeBlock();
        this.#block = Buffer.allocUnsafeSlow(largeBlockBytes);
        this.#own.add(this.#block.buffer);
      }
      const copied = source.copy(this.#block, this.#blockUsed, at, end);
      this.#blockUsed += copied;
      at += copied;
    }
  }

  /**
   * Copies all chunks into one and frees memory after the copy of the last chunk that refers to it, so that the content is held
   * about once.
   */
  #join(): Buffer {
    const joined = Buffer.allocUnsafeSlow(this.#sizeBytes);
    const lastPositions = new Map(this.#chunks.map(({ buffer }, position) => [buffer, position]));
    let at = 0;
    for (const [position, chunk] of this.#chunks.entries()) {
      at += chunk.copy(joined, at);
      if (lastPositions.get(chunk.buffer) === position) this.#free(chunk.buffer);
    }
    this.#whole = joined.buffer;
    return joined;
  }

  #free(memory: ArrayBufferLike): void {
    if (this.#own.delete(memory) && memory instanceof ArrayBuffer) memory.transfer(0);
  }

  #closeBlock(): void {
    if (this.#block !== null) this.#chunks.push(this.#block.subarray(0, this.#blockUsed));
    this.#block = null;
    this.#blockUsed = 0;
  }
}

function fillsMemory({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength === buffer.byteLength;
}
