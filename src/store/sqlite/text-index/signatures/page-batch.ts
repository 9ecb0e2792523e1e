import { ByteReader, ByteWriter } from "./byte-writer.ts";

/** Page of a segment as it is stored. */
export interface Page {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Any number of pages in one buffer of their own, which can be moved from thread to thread without leaving copies. */
export type PageParcel = Uint8Array<ArrayBuffer>;

/** Size from which a parcel is handed on: what is written in one go, in some milliseconds. */
const parcelBytesAimed = 240 * 1024;

/** Gathers pages into parcels. */
export class PageParcels {
  readonly #writer = new ByteWriter();
  readonly #full: PageParcel[] = [];

  /** Copies the page. */
  add({ number, bytes }: Page): void {
    this.#writer.varint(number);
    this.#writer.varint(bytes.length);
    this.#writer.append(bytes);
    if (this.#writer.length >= parcelBytesAimed) this.#full.push(this.#writer.take());
  }

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** The parcels that are full, each handed out once. */
  takeFull(): readonly PageParcel[] {
    return this.#full.splice(0);
  }

  /** The rest, however small. */
  takeAll(): readonly PageParcel[] {
    if (this.#writer.length > 0) this.#full.push(this.#writer.take());
    return this.takeFull();
  }
}

/** The pages of a parcel, as views of it. */
export function* readParcel(parcel: PageParcel): Generator<Page> {
  const reader = new ByteReader(parcel);
  while (!reader.isAtEnd) {
    const number = reader.varint();
    const length = reader.varint();
    yield { number, bytes: parcel.subarray(reader.at, reader.at + length) };
    reader.at += length;
  }
}
