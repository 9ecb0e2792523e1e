import { bitCount, type OrdinalSet } from "./ordinal-set.ts";
import { columnCountPerPage, noOrdinal } from "./segment-layout.ts";

/** Set of columns of one group, as bits; all of them at first. */
export class ColumnSet {
  readonly bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #row: Int32Array;
  readonly #rowBytes: Uint8Array;

  constructor(byteCount: number) {
    const wordCount = Math.ceil(byteCount / 4);
    this.#words = new Int32Array(wordCount);
    this.#row = new Int32Array(wordCount);
    this.bytes = new Uint8Array(this.#words.buffer, 0, byteCount).fill(0xff);
    this.#rowBytes = new Uint8Array(this.#row.buffer, 0, byteCount);
  }

  /** Removes the columns that are not set in `row`; returns the number of remaining columns. */
  intersect(row: Uint8Array): number {
    this.#rowBytes.set(row);
    const words = this.#words;
    let count = 0;
    for (let at = 0; at < words.length; at += 1) {
      const word = (words[at] ?? 0) & (this.#row[at] ?? 0);
      words[at] = word;
      if (word !== 0) count += bitCount(word);
    }
    return count;
  }
}

/** Adds the ordinals of columns; `readPage` returns a page of the ordinal table of their group. */
export function addOrdinalsOf(found: OrdinalSet, columns: Uint8Array, readPage: (page: number) => Uint16Array): void {
  let page = -1;
  let table = new Uint16Array(0);
  for (const [at, byte] of columns.entries()) {
    if (byte === 0) continue;
    for (let bit = 0; byte >>> bit !== 0; bit += 1) {
      if (((byte >>> bit) & 1) === 0) continue;
      const column = at * 8 + bit;
      if (Math.floor(column / columnCountPerPage) !== page) {
        page = Math.floor(column / columnCountPerPage);
        table = readPage(page) as Uint16Array<ArrayBuffer>;
      }
      const ordinal = table[column % columnCountPerPage] ?? noOrdinal;
      if (ordinal !== noOrdinal) found.add(ordinal);
    }
  }
}
