import { ByteReader, ByteWriter } from "./byte-writer.ts";

/** Page of a segment as it is stored. */
export interface Page {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Any number of pages in one buffer of their own, which can be moved from thread to thread without leaving copies. */
export type PageBatch = Uint8Array<ArrayBuffer>;

/** Size from which a batch is handed on: what is written in one go, in some milliseconds. */
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

  /** The batches that are full, each handed out once. */
  takeFull(): readonly PageBatch[] {
    return this.#full.splice(0);
  }

  /** The rest, however small. */
  takeAll(): readonly PageBatch[] {
    if (this.#writer.length > 0) this.#full.push(this.#writer.take());
    return this.takeFull();
  }
}

/** The pages of a batch, as views of it. */
export function* readPageBatch(batch: PageBatch): Generator<Page> {
  const reader = new ByteReader(batch);
  while (!reader.isAtEnd) {
    const number = reader.varint();
    const length = reader.varint();
    yield { number, bytes: batch.subarray(reader.at, reader.at + length) };
    reader.at += length;
  }
}
