/** Pages of a segment in batches, and the bytes that these consist of. */

/** Stored page of a segment. */
export interface Page {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Pages in one buffer, which can be transferred between threads without copying. */
export type PageBatch = Uint8Array<ArrayBuffer>;

/** Target size of a batch: written at once in a few milliseconds. */
const batchBytesTarget = 240 * 1024;

/** Gathers pages into batches. */
export class PageBatches {
  readonly #writer = new ByteWriter();
  readonly #full: PageBatch[] = [];

  /** Copies the page. */
  add({ number, bytes }: Page): void {
    this.#writer.varint(number);
    this.#writer.varint(bytes.length);
    this.#writer.append(bytes);
    if (this.#writer.length >= batchBytesTarget) this.#full.push(this.#writer.take());
  }

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** Removes and returns the full batches. */
  takeFull(): readonly PageBatch[] {
    return this.#full.splice(0);
  }

  /** Removes and returns all batches, the last one however small. */
  takeAll(): readonly PageBatch[] {
    if (this.#writer.length > 0) this.#full.push(this.#writer.take());
    return this.takeFull();
  }
}

/** Yields the pages of a batch, as views of it. */
export function* readPageBatch(batch: PageBatch): Generator<Page> {
  const reader = new ByteReader(batch);
  while (!reader.isAtEnd) {
    const number = reader.varint();
    const length = reader.varint();
    yield { number, bytes: batch.subarray(reader.at, reader.at + length) };
    reader.at += length;
  }
}

/** Returns a buffer of twice the size with the same content, then zeros; detaches the old one, which is freed at once. */
function doubled(buffer: ArrayBuffer): ArrayBuffer {
  return buffer.transfer(buffer.byteLength * 2);
}

/**
 * Frees the memory of unused arrays. The garbage collector sees only their small wrappers and would let tens of megabytes
 * accumulate.
 */
export function release(...arrays: readonly { readonly buffer: ArrayBuffer }[]): void {
  for (const { buffer } of arrays) buffer.transfer(0);
}

const capacityMin = 4096;

/** Appends bytes and numbers to a buffer that grows as needed. */
export class ByteWriter {
  #bytes = new Uint8Array(capacityMin);
  #length = 0;

  /** Bytes written since the start or the last {@link take}. */
  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Appends an integer from 0 to 2^53 − 1, seven bits per byte, lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7fffffff) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Returns everything written; valid until the next call. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Discards everything written. */
  clear(): void {
    this.#length = 0;
  }

  /** Returns everything written in its own buffer, and empties the writer. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#bytes.buffer.transfer(this.#length));
    this.#bytes = new Uint8Array(capacityMin);
    this.#length = 0;
    return bytes;
  }

  #reserve(count: number): void {
    while (this.#length + count > this.#bytes.length) this.#bytes = new Uint8Array(doubled(this.#bytes.buffer));
  }
}

/** Reads what {@link ByteWriter} wrote; reads zeros after the end. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;
  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  varint(): number {
    let byte = this.bytes[this.at++] ?? 0;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    for (let factor = 2 ** 28; byte >= 0x80 && factor < 2 ** 53; factor *= 128) {
      byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * factor;
    }
    return value;
  }
}
