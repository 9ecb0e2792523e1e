import { ByteReader, ByteWriter } from "./byte-writer.ts";

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
