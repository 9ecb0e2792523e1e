import { release, PageBatches, type PageBatch } from "./page-batch.ts";
import {
  addRowPage,
  noOrdinal,
  rowCountPerPage,
  rowPageNumber,
  writeGroups,
  type Group,
  addOrdinals,
} from "./segment-layout.ts";
import { addFilters, emptyFilters } from "./segment-filter.ts";
import type { IndexedField } from "./text-condition.ts";
import { GramMarker, type GramFilter } from "./grams.ts";

/** Bytes of signatures that one builder holds, apart from those of the message that reaches the bound. */
const signatureBytesPerSegmentMax = 12 * 1024 * 1024;
/** Longer texts are not indexed: their messages are candidates for every term. */
const indexedBytesMax = 1024 * 1024;
/** Pages written between two pauses. */
const pageCountPerPortion = 32;

/** Searchable texts of one message, folded, as UTF-8. */
export interface MessageTexts {
  readonly subject: Uint8Array;
  readonly body: Uint8Array;
  /** Encoded search fields (`core/search/search-fields.ts`). */
  readonly fields: Uint8Array;
}

/** Result of building a segment, apart from its pages. */
interface BuiltSegment {
  /** Number of its messages. */
  readonly size: number;
  /** Ordinals of messages that are candidates for every term. */
  readonly unindexed: readonly number[];
}

interface Column {
  readonly message: number;
  readonly bits: Signature["bits"];
}

/**
 * Collects the signatures of messages, then writes the pages of their segment. Holds at most about 27 MB for any texts: the
 * size of signatures is bounded, and pages are written one by one.
 */
export class SegmentBuilder {
  readonly #sizeMax: number;
  readonly #maker: SignatureMaker;
  readonly #groups = new Map<string, { field: IndexedField; exponent: number; columns: Column[] }>();
  readonly #filters = emptyFilters();
  readonly #unindexed: number[] = [];
  #signatureBytes = 0;
  #size = 0;

  /** `maker` may serve many builders, one at a time. */
  constructor(sizeMax: number, maker: SignatureMaker) {
    this.#sizeMax = sizeMax;
    this.#maker = maker;
  }

  /** Whether the segment must be finished before another message is added. */
  get isFull(): boolean {
    return this.#size >= this.#sizeMax || this.#signatureBytes >= signatureBytesPerSegmentMax;
  }

  add(texts: MessageTexts): void {
    const message = this.#size++;
    const { subject, body, fields } = texts;
    const isIndexed = subject.length + body.length + fields.length <= indexedBytesMax;
    const make = (field: IndexedField, text: Uint8Array): Signature | undefined =>
      isIndexed ? this.#maker.make(text, this.#filters[field]) : undefined;
    const ofSubject = make("subject", subject);
    const ofBody = make("body", body);
    const ofFields = make("fields", fields);
    if (ofSubject === undefined || ofBody === undefined || ofFields === undefined) {
      this.#unindexed.push(message);
      return;
    }
    this.#addColumn("subject", ofSubject, message);
    this.#addColumn("body", ofBody, message);
    this.#addColumn("fields", ofFields, message);
  }

  /** Adds a message without its texts: a candidate for every term. */
  addUnindexed(): void {
    this.#unindexed.push(this.#size++);
  }

  #addColumn(field: IndexedField, { exponent, bits }: Signature, message: number): void {
    const key = `${field} ${exponent}`;
    const group = this.#groups.get(key) ?? { field, exponent, columns: [] };
    this.#groups.set(key, group);
    group.columns.push({ message, bits });
    this.#signatureBytes += bits.byteLength;
  }

  /**
   * Yields the pages in portions, between which the caller may pause. `ordinals` maps the messages, in the order in which
   * they were added, to their places in the segment: a permutation of 0 … size − 1. Nothing can be added afterwards.
   */
  *finish(ordinals: readonly number[]): Generator<readonly PageBatch[], BuiltSegment> {
    const batches = new PageBatches();
    const groups = [...this.#groups.values()];
    const layout = groups.map(({ field, exponent, columns }) => ({
      field,
      exponent,
      columnCount: Math.ceil(columns.length / 8) * 8,
    }));
    batches.add({ number: 0, bytes: writeGroups(layout) });
    for (const [place, { columns }] of groups.entries()) {
      const group = layout[place];
      if (group === undefined) continue;
      const table = new Uint16Array(group.columnCount).fill(noOrdinal);
      for (const [column, { message }] of columns.entries()) table[column] = ordinals[message] ?? noOrdinal;
      addOrdinals(batches, place, table);
      yield* addRows(batches, { place, group, signatures: columns.map(({ bits }) => bits) });
    }
    yield* addFilters(batches, this.#filters);
    yield batches.takeAll();
    return { size: this.#size, unindexed: this.#unindexed.map((message) => ordinals[message] ?? 0) };
  }
}

/**
 * Transposes signatures into pages of rows, and frees them. Holds the rows of one page at a time: all rows would take as
 * much memory as the signatures.
 */
function* addRows(
  batches: PageBatches,
  {
    place,
    group,
    signatures,
  }: { readonly place: number; readonly group: Group; readonly signatures: readonly Signature["bits"][] },
): Generator<readonly PageBatch[]> {
  const rowBytes = group.columnCount / 8;
  const pageBytes = rowCountPerPage(group) * rowBytes;
  const rows = new Uint8Array(Math.max(pageBytes, 32 * rowBytes));
  const wordCount = rows.length / rowBytes / 32;
  let page = 0;
  for (let word = 0; word < 2 ** (group.exponent - 5); word += wordCount) {
    rows.fill(0);
    for (let at = 0; at < wordCount; at += 1) {
      transposeWord(signatures, word + at, rows.subarray(at * 32 * rowBytes, (at + 1) * 32 * rowBytes));
    }
    for (let start = 0; start < rows.length; start += pageBytes) {
      const part = rows.subarray(start, start + pageBytes);
      addRowPage(batches, { number: rowPageNumber(place, page), rows: part, field: group.field });
      if (page % pageCountPerPortion === pageCountPerPortion - 1) yield batches.takeFull();
      page += 1;
    }
  }
  release(rows, ...signatures);
}

/** Transposes one word of every signature into 32 rows of zeros, which stay in the cache of the processor. */
function transposeWord(signatures: readonly Signature["bits"][], word: number, rows: Uint8Array): void {
  const rowBytes = rows.length / 32;
  for (let column = 0; column < signatures.length; column += 1) {
    let rest = signatures[column]?.[word] ?? 0;
    const first = column >>> 3;
    const bit = 1 << (column & 7);
    while (rest !== 0) {
      const lowest = rest & -rest;
      const cell = first + (31 - Math.clz32(lowest)) * rowBytes;
      rows[cell] = (rows[cell] ?? 0) | bit;
      rest ^= lowest;
    }
  }
}

/** Bits of the smallest and the largest signature, as powers of two. Part of the file format. */
const sizeExponentMin = 8;
/** Exponent of the largest signature: 256 KB. */
const sizeExponentMax = 21;
/** Largest share of bits that are set: more would give false candidates, less would take more space and time. */
const fillMax = 0.5;

/** Hashes that one byte of a text can add: those of the byte, the pair, the triple and the run that end with it. */
const hashCountPerByteMax = 7;

/** Bloom filter over the grams of one text: 2^`exponent` bits. */
interface Signature {
  readonly exponent: number;
  readonly bits: Uint32Array<ArrayBuffer>;
}

/** Creates signatures whose size follows from the number of distinct grams of a text. */
export class SignatureMaker {
  readonly #bits = new Uint32Array(2 ** (sizeExponentMax - 5));
  readonly #marker = new GramMarker(this.#bits);

  /**
   * Returns the signature of a text in its own buffer; undefined when the text has too many distinct grams. Adds its grams to
   * the filter of a segment.
   */
  make(text: Uint8Array, filter: GramFilter): Signature | undefined {
    let exponent = sizeExponentMin;
    while (exponent < sizeExponentMax && 2 ** exponent < hashCountPerByteMax * 2 * text.length) exponent += 1;
    this.#bits.fill(0, 0, 2 ** (exponent - 5));
    const count = this.#marker.mark(text, 2 ** exponent, filter);
    if (count > fillMax * 2 ** sizeExponentMax) return undefined;
    while (exponent > sizeExponentMin && count <= fillMax * 2 ** (exponent - 1)) {
      exponent -= 1;
      this.#fold(2 ** (exponent - 5));
    }
    return { exponent, bits: this.#bits.slice(0, 2 ** (exponent - 5)) };
  }

  /** Halves the signature: hashes are then taken modulo half of its size. */
  #fold(wordCount: number): void {
    const bits = this.#bits;
    for (let place = 0; place < wordCount; place += 1) {
      bits[place] = (bits[place] ?? 0) | (bits[place + wordCount] ?? 0);
    }
  }
}
