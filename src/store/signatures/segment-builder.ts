import { release } from "./arrays.ts";
import { PageBatches } from "./page-batch.ts";
import type { PageBatch } from "./page-batch.ts";
import { noOrdinal, rowCountPerPage, rowPageNumber, writeGroups, writeRows } from "./segment-layout.ts";
import type { TextField } from "../../core/criteria.ts";
import type { Group } from "./segment-layout.ts";
import { addOrdinals } from "./segment-ordinals.ts";
import { addFilters, emptyFilters } from "./segment-filter.ts";
import type { Signature, SignatureMaker } from "./signature.ts";

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
}

/** Result of building a segment, apart from its pages. */
export interface BuiltSegment {
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
 * Collects the signatures of messages, then writes the pages of their segment. Holds at most about 36 MB for any texts: the
 * size of signatures is bounded, and pages are written group by group.
 */
export class SegmentBuilder {
  readonly #sizeMax: number;
  readonly #maker: SignatureMaker;
  readonly #groups = new Map<string, { field: TextField; exponent: number; columns: Column[] }>();
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
    const isIndexed = texts.subject.length + texts.body.length <= indexedBytesMax;
    const subject = isIndexed ? this.#maker.make(texts.subject, this.#filters.subject) : undefined;
    const body = isIndexed ? this.#maker.make(texts.body, this.#filters.body) : undefined;
    if (subject === undefined || body === undefined) {
      this.#unindexed.push(message);
      return;
    }
    this.#addColumn("subject", subject, message);
    this.#addColumn("body", body, message);
  }

  /** Adds a message without its texts: a candidate for every term. */
  addUnindexed(): void {
    this.#unindexed.push(this.#size++);
  }

  #addColumn(field: TextField, { exponent, bits }: Signature, message: number): void {
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
      const rows = transpose(columns, group);
      yield* addRows(batches, { place, group, rows });
      release(rows);
    }
    yield* addFilters(batches, this.#filters);
    yield batches.takeAll();
    return { size: this.#size, unindexed: this.#unindexed.map((message) => ordinals[message] ?? 0) };
  }
}

/**
 * Transposes signatures into rows, and frees them. Takes 32 rows at a time, which stay in the cache of the processor while one
 * word of every signature is read.
 */
function transpose(columns: readonly Column[], { exponent, columnCount }: Group): Uint8Array<ArrayBuffer> {
  const rowBytes = columnCount / 8;
  const rows = new Uint8Array(2 ** exponent * rowBytes);
  const signatures = columns.map(({ bits }) => bits);
  for (let place = 0; place < 2 ** (exponent - 5); place += 1) {
    for (let column = 0; column < signatures.length; column += 1) {
      let rest = signatures[column]?.[place] ?? 0;
      const first = place * 32 * rowBytes + (column >>> 3);
      const bit = 1 << (column & 7);
      while (rest !== 0) {
        const lowest = rest & -rest;
        const cell = first + (31 - Math.clz32(lowest)) * rowBytes;
        rows[cell] = (rows[cell] ?? 0) | bit;
        rest ^= lowest;
      }
    }
  }
  release(...signatures);
  return rows;
}

function* addRows(
  batches: PageBatches,
  { place, group, rows }: { readonly place: number; readonly group: Group; readonly rows: Uint8Array },
): Generator<readonly PageBatch[]> {
  const pageBytes = (rowCountPerPage(group) * group.columnCount) / 8;
  for (let page = 0; page * pageBytes < rows.length; page += 1) {
    const bytes = writeRows(rows.subarray(page * pageBytes, (page + 1) * pageBytes), group.field);
    if (bytes !== undefined) batches.add({ number: rowPageNumber(place, page), bytes });
    if (page % pageCountPerPortion === pageCountPerPortion - 1) yield batches.takeFull();
  }
}
