/**
 * Pages of a segment. Its signatures are grouped by field and size; a group is a matrix of bits with a row for each bit of
 * a signature and a column for each message, so that a search reads the few rows of its term's hashes. Page 0 lists the
 * groups; the pages before 2^16 belong to the store; `segment-filter.ts` describes the pages from 2^16 to 2^24. The rows of the group at place g begin at page (g + 1) · 2^24; 2^23 pages further begins the table of
 * the ordinal of each column. Pages of zeros are omitted. Part of the file format.
 */
import { compress, decompress, freeCompressed } from "../compression.ts";
import type { PageBatches } from "./page-batch.ts";
import type { IndexedField } from "./text-condition.ts";

/** Signatures of one field and size. */
export interface Group {
  readonly field: IndexedField;
  /** Rows: 2^`exponent`. */
  readonly exponent: number;
  /** A multiple of eight; surplus columns belong to no message. */
  readonly columnCount: number;
}

/** Returns the row of a hash. */
export function rowOf(hash: number, { exponent }: Pick<Group, "exponent">): number {
  return (hash & (2 ** exponent - 1)) >>> 0;
}

/** Reads the pages of one segment. */
export interface SegmentPages {
  /** Number of its messages. */
  readonly size: number;
  /** Returns the numbers of the pages from `first`, before `end`, ascending. */
  numbers(first: number, end: number): readonly number[];
  /** Returns a page; undefined where it does not exist. */
  read(number: number): Uint8Array | undefined;
  /** Returns a part of a page, or all of it where it is compressed; undefined where it does not exist. */
  readPart(number: number, part: PagePart): StoredPart | undefined;
}

/** Part of a page as it is stored: all of the page where it is compressed. */
export interface StoredPart {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

/** Part of a page of rows. */
export interface PagePart {
  /** Size of the whole page before compression: one that is stored shorter is compressed. */
  readonly pageBytes: number;
  readonly start: number;
  readonly length: number;
}

/** Ordinal of a column that belongs to no message. */
export const noOrdinal = 0xffff;
/** Columns in one page of a group's ordinal table. */
export const columnCountPerPage = 2048;
/** Largest size of a page of rows before compression. */
const rowPageBytesMax = 8192;
const pageCountPerGroup = 2 ** 24;
const ordinalsStart = 2 ** 23;

/** Returns the rows in one page of a group: a power of two. */
export function rowCountPerPage({ columnCount, exponent }: Group): number {
  const fitting = Math.max(1, Math.floor((rowPageBytesMax * 8) / columnCount));
  return Math.min(2 ** exponent, 2 ** Math.floor(Math.log2(fitting)));
}

/** Returns the number of a page of rows. */
export function rowPageNumber(place: number, page: number): number {
  return (place + 1) * pageCountPerGroup + page;
}

/** Returns the number of a page of the ordinal table. */
export function ordinalPageNumber(place: number, page: number): number {
  return (place + 1) * pageCountPerGroup + ordinalsStart + page;
}

/** Writes page 0. */
export function writeGroups(groups: readonly Group[]): Uint8Array {
  return Buffer.from(JSON.stringify(groups));
}

/** Reads page 0. */
export function readGroups(pages: SegmentPages): readonly Group[] {
  const bytes = pages.read(0);
  if (bytes === undefined) throw new Error("the group list of a segment of the text index is missing");
  return toGroups(bytes);
}

/** Decodes page 0. */
export function toGroups(bytes: Uint8Array): readonly Group[] {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as readonly Group[];
}

/** Page of rows to be written: a view of memory that the caller reuses. */
export interface RowPage {
  readonly number: number;
  readonly rows: Uint8Array;
  readonly field: IndexedField;
}

/**
 * Adds a page of rows to the batches, unless it is all zeros. Decompression takes longer than the rest of a search's work
 * on a page, so only pages of bodies that shrink by more than half are compressed; those of the other fields are small.
 */
export function addRowPage(batches: PageBatches, { number, rows, field }: RowPage): void {
  if (rows.every((byte) => byte === 0)) return;
  const frame = field === "body" ? compress(rows) : undefined;
  const isSmaller = frame !== undefined && frame.bytes.length * 2 < rows.length;
  batches.add({ number, bytes: isSmaller ? frame.bytes : rows });
  if (frame !== undefined) freeCompressed(frame);
}

/** Returns one page of the ordinal table. */
export function readOrdinals(pages: SegmentPages, place: number, page: number): Uint16Array {
  const bytes = pages.read(ordinalPageNumber(place, page));
  if (bytes === undefined) throw new Error("an ordinal table of the text index is missing");
  return toOrdinals(bytes);
}

/** Decodes a page of an ordinal table. */
export function toOrdinals(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** Returns the page that contains a row of the group at a place, and the part of the page. */
export function rowPartOf(
  place: number,
  group: Group,
  row: number,
): { readonly page: number; readonly part: PagePart } {
  const length = group.columnCount / 8;
  const perPage = rowCountPerPage(group);
  const page = rowPageNumber(place, Math.floor(row / perPage));
  return { page, part: { pageBytes: perPage * length, start: (row % perPage) * length, length } };
}

/** Returns a row from the part of its page; undefined where the page is all zeros. */
export function toRow({ pageBytes, start, length }: PagePart, stored: StoredPart | undefined): Uint8Array | undefined {
  if (stored?.isCompressed !== true) return stored?.bytes;
  return decompress({ bytes: stored.bytes, size: pageBytes }).subarray(start, start + length);
}

/** Reads single rows of one group, in any order. */
export class RandomRowReader {
  readonly #pages: SegmentPages;
  readonly #place: number;
  readonly #group: Group;

  constructor(pages: SegmentPages, place: number, group: Group) {
    this.#pages = pages;
    this.#place = place;
    this.#group = group;
  }

  /** Returns a row; undefined where its page is all zeros. */
  row(number: number): Uint8Array | undefined {
    const { page, part } = rowPartOf(this.#place, this.#group, number);
    return toRow(part, this.#pages.readPart(page, part));
  }
}

/** Reads the rows of one group in ascending order; caches the page that it read last. */
export class RowReader {
  readonly #pages: SegmentPages;
  readonly #place: number;
  readonly #rowCountPerPage: number;
  readonly #rowBytes: number;
  #page = -1;
  #bytes: Uint8Array | undefined;

  constructor(pages: SegmentPages, place: number, group: Group) {
    this.#pages = pages;
    this.#place = place;
    this.#rowCountPerPage = rowCountPerPage(group);
    this.#rowBytes = group.columnCount / 8;
  }

  /** Returns a row, valid until the next call; undefined where its page is all zeros. */
  row(number: number): Uint8Array | undefined {
    const page = Math.floor(number / this.#rowCountPerPage);
    if (page !== this.#page) {
      const size = this.#rowCountPerPage * this.#rowBytes;
      const bytes = this.#pages.read(rowPageNumber(this.#place, page));
      this.#bytes = bytes === undefined || bytes.length === size ? bytes : decompress({ bytes, size });
      this.#page = page;
    }
    const start = (number % this.#rowCountPerPage) * this.#rowBytes;
    return this.#bytes?.subarray(start, start + this.#rowBytes);
  }
}

/** Writes the ordinal table of a group: the ordinal of each column. */
export function addOrdinals(batches: PageBatches, place: number, table: Uint16Array): void {
  for (let page = 0; page * columnCountPerPage < table.length; page += 1) {
    const part = table.subarray(page * columnCountPerPage, (page + 1) * columnCountPerPage);
    const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    batches.add({ number: ordinalPageNumber(place, page), bytes });
  }
}
