/**
 * Filters of a segment: for each field, the set of grams that occur in any of its texts. A term with a gram that is not in
 * the set occurs in no message of the segment, which reading one bit decides. The filter of bodies contains a quarter of
 * their runs of five bytes: marking all of them would take a third of the time of indexing. Bits are stored in pages; pages
 * of zeros are omitted, and a page with few set bits lists their places. Part of the file format.
 */
import { release, type Page, type PageBatch, type PageBatches } from "./page-batch.ts";
import { filterBitCount, filterPlacesOfTerm, type GramFilter } from "./grams.ts";
import type { PagePart, SegmentPages, StoredPart } from "./segment-layout.ts";
import type { IndexedField } from "./text-condition.ts";

/** Short enough that a row with it fits into one page of the database. */
const pageBytes = 2048;
const pageBitCount = pageBytes * 8;
/** Pages examined between two pauses: about a millisecond. */
const pageCountPerPortion = 512;

const pageCount = filterBitCount / pageBitCount;

interface FieldLayout {
  /** Number of the first page; groups begin at 2^24. */
  readonly firstPage: number;
  readonly fiveRarity: number;
}

const layouts: Readonly<Record<IndexedField, FieldLayout>> = {
  subject: { firstPage: 2 ** 16, fiveRarity: 1 },
  body: { firstPage: 2 ** 17, fiveRarity: 4 },
  fields: { firstPage: 2 ** 17 + 2 ** 16, fiveRarity: 1 },
};

/** Set of grams in one field's texts, while a segment is written: 2.5 MB. */
export class SegmentFilter implements GramFilter {
  readonly bits: Uint32Array<ArrayBuffer>;
  readonly fiveRarity: number;
  readonly #bytes: Uint8Array;
  readonly #layout: FieldLayout;

  constructor(field: IndexedField) {
    this.#layout = layouts[field];
    this.fiveRarity = this.#layout.fiveRarity;
    this.#bytes = new Uint8Array(pageCount * pageBytes);
    this.bits = new Uint32Array(this.#bytes.buffer as ArrayBuffer);
  }

  /** Adds the grams of the same field of a complete segment. */
  addAll(segment: Pick<SegmentPages, "numbers" | "read">): void {
    const { firstPage } = this.#layout;
    for (const number of segment.numbers(firstPage, firstPage + pageCount)) {
      const bytes = segment.read(number);
      if (bytes !== undefined) this.#addPage(number - firstPage, bytes);
    }
  }

  #addPage(page: number, bytes: Uint8Array): void {
    const start = page * pageBytes;
    const set = (at: number, bits: number): void => {
      this.#bytes[at] = (this.#bytes[at] ?? 0) | bits;
    };
    if (bytes.length < pageBytes) for (const bit of toPlaces(bytes)) set(start + (bit >>> 3), 1 << (bit & 7));
    else for (const [at, byte] of bytes.entries()) set(start + at, byte);
  }

  /** Yields the pages, and undefined where the caller may pause; frees the set. */
  *pages(): Generator<Page | undefined> {
    const { firstPage } = this.#layout;
    for (let page = 0; page < pageCount; page += 1) {
      const bytes = this.#write(page);
      if (bytes !== undefined) yield { number: firstPage + page, bytes };
      if (page % pageCountPerPortion === pageCountPerPortion - 1) yield undefined;
    }
    release(this.bits);
  }

  /** Returns a page as it is stored; undefined where it is all zeros. */
  #write(page: number): Uint8Array | undefined {
    const bytes = this.#bytes.subarray(page * pageBytes, (page + 1) * pageBytes);
    if (Buffer.compare(bytes, zeros) === 0) return undefined;
    const places: number[] = [];
    const wordCount = pageBytes / 4;
    for (let at = 0; at < wordCount; at += 1) {
      let rest = this.bits[page * wordCount + at] ?? 0;
      while (rest !== 0) {
        const lowest = rest & -rest;
        places.push(at * 32 + 31 - Math.clz32(lowest));
        rest ^= lowest;
      }
      if (places.length * 2 >= pageBytes) return bytes;
    }
    return new Uint8Array(Uint16Array.from(places).buffer);
  }
}

const zeros = new Uint8Array(pageBytes);

/** Creates an empty filter for each field. */
export function emptyFilters(): Readonly<Record<IndexedField, SegmentFilter>> {
  return {
    subject: new SegmentFilter("subject"),
    body: new SegmentFilter("body"),
    fields: new SegmentFilter("fields"),
  };
}

/** Returns the numbers of the pages of a field's filter: from `first`, before `end`. */
export function filterPageNumbers(field: IndexedField): { readonly first: number; readonly end: number } {
  const { firstPage } = layouts[field];
  return { first: firstPage, end: firstPage + pageCount };
}

/** Adds the pages of filters, and yields full batches; frees the filters. */
export function* addFilters(
  batches: PageBatches,
  filters: Readonly<Record<IndexedField, SegmentFilter>>,
): Generator<readonly PageBatch[]> {
  for (const filter of Object.values(filters)) {
    for (const page of filter.pages()) {
      if (page === undefined) yield batches.takeFull();
      else batches.add(page);
    }
  }
}

/** Returns places in the filter of a field, all of which are set where a text contains the term. */
export function filterPlacesOf(field: IndexedField, term: Uint8Array): readonly number[] {
  return filterPlacesOfTerm(term, layouts[field].fiveRarity);
}

/** Bit of a filter, and where it is stored. */
export interface FilterBit {
  readonly page: number;
  readonly part: PagePart;
  /** Place in the page. */
  readonly bit: number;
}

/** Returns where a place of {@link filterPlacesOf} is stored. */
export function filterBitOf(field: IndexedField, place: number): FilterBit {
  const bit = place % pageBitCount;
  const page = layouts[field].firstPage + (place - bit) / pageBitCount;
  return { page, part: { pageBytes, start: bit >>> 3, length: 1 }, bit };
}

/** Returns the two bytes by which a page with few set bits lists a bit. */
export function placeBytesOf({ bit }: FilterBit): Uint8Array {
  return new Uint8Array(Uint16Array.of(bit).buffer);
}

/** Returns whether a bit of a filter is set; `part` is the part of its page, undefined where the page does not exist. */
export function isFilterBitSet({ bit }: FilterBit, part: StoredPart | undefined): boolean {
  if (part === undefined) return false;
  if (part.isCompressed) return toPlaces(part.bytes).includes(bit);
  return (((part.bytes[0] ?? 0) >>> (bit & 7)) & 1) === 1;
}

/** Returns whether a place of {@link filterPlacesOf} is set in a segment. */
export function isInFilter(pages: SegmentPages, field: IndexedField, place: number): boolean {
  const bit = filterBitOf(field, place);
  return isFilterBitSet(bit, pages.readPart(bit.page, bit.part));
}

function toPlaces(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
