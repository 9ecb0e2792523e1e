/**
 * How a segment lies in pages.
 *
 * Key pages hold the keys of grams in ascending order; a page is known by its prefix, the highest bits of its first
 * key, and keys of one prefix never lie in two pages. The first key of a page is written whole, each other as the gap
 * to the one before, all as varints, and after each key what it leads to: `ordinal · 2` for one single message,
 * `reference · 4 + 1` for a set that lies in a set page and is shared with other keys, `byteCount · 4 + 3` for a
 * posting that follows at once. A set page lists postings, each after its byte count; a reference is
 * `page · 256 + place`.
 */
import { ByteReader, ByteWriter } from "./byte-writer.ts";
import { gramKeyEnd } from "./grams.ts";
import type { GramRange } from "./grams.ts";
import type { PageParcels } from "./page-parcel.ts";
import { OrdinalSet, readPosting, writePosting } from "./posting.ts";

const prefixDivisor = 2 ** 12;
/** Highest number that a key page can have: a prefix has 37 bits. */
export const keyPageNumberMax: number = gramKeyEnd / prefixDivisor - 1;
/** A page of SQLite holds a row of at most 4061 bytes without a detour: both sizes aim below. */
const keyPageBytesAimed = 3600;
const setPageBytesAimed = 3600;
const placeCountMax = 256;

/** A segment as it is read. `size` is how many messages it numbers. */
export interface SegmentPages {
  readonly size: number;
  /** Ascending: the last key page whose number is at most `first`, then all up to the number `last`. */
  readKeyPages(first: number, last: number): Iterable<Uint8Array>;
  readSetPage(number: number): Uint8Array | undefined;
}

/** Writes key pages, from keys that come in ascending order. */
export class KeyPageWriter {
  readonly #parcels: PageParcels;
  readonly #writer = new ByteWriter();
  readonly #scratch = new ByteWriter();
  #number = 0;
  #lastKey = 0;

  constructor(parcels: PageParcels) {
    this.#parcels = parcels;
  }

  addSingle(key: number, ordinal: number): void {
    this.#addKey(key);
    this.#writer.varint(ordinal * 2);
  }

  addShared(key: number, reference: number): void {
    this.#addKey(key);
    this.#writer.varint(reference * 4 + 1);
  }

  addOwn(key: number, set: OrdinalSet): void {
    this.#addKey(key);
    writePosting(this.#scratch, set);
    this.#writer.varint(this.#scratch.length * 4 + 3);
    this.#writer.append(this.#scratch.view());
    this.#scratch.clear();
  }

  /** Hands on what is still held back. */
  finish(): void {
    if (this.#writer.length > 0) this.#parcels.add({ kind: "key", number: this.#number, bytes: this.#writer.view() });
    this.#writer.clear();
    this.#lastKey = 0;
  }

  #addKey(key: number): void {
    if (this.#writer.length >= keyPageBytesAimed && prefixOf(key) !== prefixOf(this.#lastKey)) this.finish();
    if (this.#writer.length === 0) this.#number = prefixOf(key);
    this.#writer.varint(key - this.#lastKey);
    this.#lastKey = key;
  }
}

/** Writes set pages and tells where each set went. */
export class SetPageWriter {
  readonly #parcels: PageParcels;
  readonly #writer = new ByteWriter();
  readonly #scratch = new ByteWriter();
  #page = 0;
  #place = 0;

  constructor(parcels: PageParcels) {
    this.#parcels = parcels;
  }

  /** The reference of the set. */
  add(set: OrdinalSet): number {
    writePosting(this.#scratch, set);
    if (this.#place === placeCountMax || this.#writer.length + this.#scratch.length > setPageBytesAimed) this.finish();
    this.#writer.varint(this.#scratch.length);
    this.#writer.append(this.#scratch.view());
    this.#scratch.clear();
    return this.#page * placeCountMax + this.#place++;
  }

  /** Hands on what is still held back. */
  finish(): void {
    if (this.#writer.length === 0) return;
    this.#parcels.add({ kind: "set", number: this.#page, bytes: this.#writer.view() });
    this.#writer.clear();
    this.#page++;
    this.#place = 0;
  }
}

/** The messages of a segment that contain a gram of a range; undefined for none. */
export function readGrams(segment: SegmentPages, range: GramRange): OrdinalSet | undefined {
  let found: OrdinalSet | undefined;
  for (const bytes of segment.readKeyPages(prefixOf(range.first), prefixOf(range.last))) {
    const cursor = new KeyCursor(segment, bytes);
    while (cursor.advance() && cursor.key <= range.last) {
      if (cursor.key < range.first) continue;
      found ??= new OrdinalSet(segment.size);
      if (cursor.single >= 0) found.add(cursor.single);
      else found.unite(cursor.set());
    }
  }
  return found;
}

/** Walks over the keys of one page. */
export class KeyCursor {
  /** The key that {@link advance} came to. */
  key = 0;
  readonly #segment: SegmentPages;
  readonly #reader: ByteReader;
  #target = 0;

  constructor(segment: SegmentPages, bytes: Uint8Array) {
    this.#segment = segment;
    this.#reader = new ByteReader(bytes);
  }

  /** Goes to the next key; false at the end. */
  advance(): boolean {
    if ((this.#target & 3) === 3) this.#reader.at += this.#target >>> 2;
    if (this.#reader.isAtEnd) return false;
    this.key += this.#reader.varint();
    this.#target = this.#reader.varint();
    return true;
  }

  /** The ordinal, where the key leads to a single message; else −1. */
  get single(): number {
    return (this.#target & 1) === 0 ? this.#target >>> 1 : -1;
  }

  /** The reference, where the key leads to a shared set; else −1. */
  get reference(): number {
    return (this.#target & 3) === 1 ? this.#target >>> 2 : -1;
  }

  /** The messages that the key leads to. */
  set(): OrdinalSet {
    if (this.reference >= 0) return readShared(this.#segment, this.reference);
    if (this.single < 0) return readPosting(new ByteReader(this.#reader.bytes, this.#reader.at), this.#segment.size);
    const set = new OrdinalSet(this.#segment.size);
    set.add(this.single);
    return set;
  }
}

/** Where a shared set lies. */
export function placeOf(reference: number): { readonly page: number; readonly place: number } {
  return { page: Math.floor(reference / placeCountMax), place: reference % placeCountMax };
}

/** All sets of a set page, by their place. */
export function readSets(segment: SegmentPages, page: number): readonly OrdinalSet[] {
  const reader = new ByteReader(readSetPage(segment, page));
  const sets: OrdinalSet[] = [];
  while (!reader.isAtEnd) {
    reader.varint();
    sets.push(readPosting(reader, segment.size));
  }
  return sets;
}

function readShared(segment: SegmentPages, reference: number): OrdinalSet {
  const { page, place } = placeOf(reference);
  const reader = new ByteReader(readSetPage(segment, page));
  for (let left = place; left > 0; left--) {
    const byteCount = reader.varint();
    reader.at += byteCount;
  }
  reader.varint();
  return readPosting(reader, segment.size);
}

function readSetPage(segment: SegmentPages, number: number): Uint8Array {
  const page = segment.readSetPage(number);
  if (page === undefined) throw new Error("A page of the search index is missing");
  return page;
}

function prefixOf(key: number): number {
  return Math.floor(key / prefixDivisor);
}
