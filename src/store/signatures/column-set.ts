import { bitCount, type OrdinalSet } from "./ordinal-set.ts";
import { columnCountPerPage, noOrdinal } from "./segment-layout.ts";

/** Rows that may leave the same columns before the candidates are compared instead, per candidate. */
const readsPerCandidate = 4;

/** Columns of one group that may contain a term, as bits; all of them at first. */
export class ColumnSet {
  readonly bytes: Uint8Array;
  #count: number;
  /** Rows in succession that removed no column. */
  #fruitless = 0;
  readonly #words: Int32Array;
  readonly #row: Int32Array;
  readonly #rowBytes: Uint8Array;

  constructor(columnCount: number) {
    this.#count = columnCount;
    const byteCount = columnCount / 8;
    const wordCount = Math.ceil(byteCount / 4);
    this.#words = new Int32Array(wordCount);
    this.#row = new Int32Array(wordCount);
    this.bytes = new Uint8Array(this.#words.buffer, 0, byteCount).fill(0xff);
    this.#rowBytes = new Uint8Array(this.#row.buffer, 0, byteCount);
  }

  /** Number of the remaining columns. */
  get count(): number {
    return this.#count;
  }

  /** Whether no column remains, or comparing the messages of those that do is cheaper than narrowing further. */
  get isNarrow(): boolean {
    return this.#count === 0 || this.#fruitless > this.#count * readsPerCandidate;
  }

  /** Removes the columns that are not set in `row`, all for an absent one; returns the share of columns that remain. */
  narrow(row: Uint8Array | undefined): number {
    const before = this.#count;
    this.#count = row === undefined ? 0 : this.#intersect(row);
    this.#fruitless = this.#count < before ? 0 : this.#fruitless + 1;
    return this.#count / before;
  }

  #intersect(row: Uint8Array): number {
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
