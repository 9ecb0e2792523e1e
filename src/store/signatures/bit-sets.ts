/** Sets of messages and of columns of one segment, as bits. */
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

/** Set of ordinals of one segment, as bits. */
export class OrdinalSet {
  readonly #words: Uint32Array;

  /** `size`: number of the segment's messages. */
  constructor(size: number) {
    this.#words = new Uint32Array(Math.ceil(size / 32));
  }

  get isEmpty(): boolean {
    return this.#words.every((word) => word === 0);
  }

  has(ordinal: number): boolean {
    return (((this.#words[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1) === 1;
  }

  add(ordinal: number): void {
    this.#words[ordinal >>> 5] = (this.#words[ordinal >>> 5] ?? 0) | (1 << (ordinal & 31));
  }

  /** Adds all ordinals of a set of the same segment. */
  addAll(other: OrdinalSet): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) | (other.#words[at] ?? 0);
  }

  /** Removes the ordinals that another set of the same segment does not contain. */
  intersect(other: OrdinalSet): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) & (other.#words[at] ?? 0);
  }

  /** Returns the ordinals, ascending. */
  toArray(): Uint16Array {
    const words = this.#words;
    let size = 0;
    for (let at = 0; at < words.length; at += 1) size += bitCount(words[at] ?? 0);
    const ordinals = new Uint16Array(size);
    let count = 0;
    for (let at = 0; at < words.length; at += 1) {
      for (let rest = words[at] ?? 0; rest !== 0;) {
        const lowest = rest & -rest;
        ordinals[count++] = at * 32 + 31 - Math.clz32(lowest);
        rest ^= lowest;
      }
    }
    return ordinals;
  }
}

/** Returns the number of set bits of a word. */
export function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
