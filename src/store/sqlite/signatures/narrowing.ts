import type { Match } from "../../../core/criteria.ts";
import { hashesOfTerm } from "./grams.ts";
import { columnCountPerPage, noOrdinal, readGroups, readOrdinals, RowReader } from "./segment-layout.ts";
import type { Group, SegmentPages, TextField } from "./segment-layout.ts";

/** What looking at one candidate costs, in rows read. */
const readsPerCandidate = 4;

/** A folded term and the field that must contain it. */
export interface TextCriterion {
  readonly field: TextField;
  readonly term: string;
}

interface TermHashes {
  readonly field: TextField;
  /** The first ones left over the fewest messages in the segments before. */
  readonly hashes: number[];
}

/** Narrows a segment down to the messages that may meet some text criteria; learns from segment to segment. */
export class Narrowing {
  /** Each alternative is a list of terms that a message must have all of. */
  readonly #alternatives: readonly (readonly TermHashes[])[];

  private constructor(alternatives: readonly (readonly TermHashes[])[]) {
    this.#alternatives = alternatives;
  }

  /** Undefined where signatures cannot narrow: with ALL no term has any gram, with ANY one of the terms has none. */
  static of(criteria: readonly TextCriterion[], match: Match): Narrowing | undefined {
    const terms = criteria.map(({ field, term }) => ({ field, hashes: [...hashesOfTerm(Buffer.from(term))] }));
    const alternatives = match === "ANY" ? terms.map((term) => [term]) : [terms];
    const narrows = alternatives.every((one) => one.some(({ hashes }) => hashes.length > 0));
    return narrows && terms.length > 0 ? new Narrowing(alternatives) : undefined;
  }

  /** Returns the ordinals that may meet the criteria, ascending: all that do are among them, and all of `unindexed`. */
  candidates(pages: SegmentPages, unindexed: readonly number[]): readonly number[] {
    const found = new Set(unindexed);
    for (const terms of this.#alternatives) {
      let ordinals: ReadonlySet<number> | undefined;
      for (const term of terms) {
        if (term.hashes.length === 0 || ordinals?.size === 0) continue;
        const more = ordinalsWith(pages, term);
        ordinals = ordinals === undefined ? more : ordinals.intersection(more);
      }
      for (const ordinal of ordinals ?? []) found.add(ordinal);
    }
    return [...found].sort((a, b) => a - b);
  }
}

/** The messages whose signatures have a term. */
function ordinalsWith(pages: SegmentPages, { field, hashes }: TermHashes): Set<number> {
  const ordinals = new Set<number>();
  for (const [place, group] of readGroups(pages).entries()) {
    if (group.field !== field) continue;
    const columns = intersect(new RowReader(pages, place, group), group, hashes);
    if (columns !== undefined) addOrdinals(ordinals, columns, (page) => readOrdinals(pages, place, page));
  }
  return ordinals;
}

/**
 * The columns that are set in the row of each hash, or some more, once looking at them is cheaper than narrowing further.
 * The hash that left the fewest moves to the front: it will probably do so in the next segment.
 */
function intersect(reader: RowReader, { exponent, columnCount }: Group, hashes: number[]): Uint8Array | undefined {
  let columns: Uint8Array | undefined;
  let count = columnCount;
  let best = { place: 0, left: columnCount, share: 1 };
  let fruitless = 0;
  for (const [place, hash] of hashes.entries()) {
    const row = reader.row((hash & (2 ** exponent - 1)) >>> 0);
    const left = row === undefined ? 0 : ((columns ??= filled(columnCount / 8)), and(columns, row));
    const share = left / count;
    if (share < best.share) best = { place, left, share };
    fruitless = left < count ? 0 : fruitless + 1;
    count = left;
    if (count === 0 || fruitless > count * readsPerCandidate) break;
  }
  moveToFront(hashes, best.place);
  return count === 0 ? undefined : columns;
}

function filled(length: number): Uint8Array {
  return new Uint8Array(length).fill(0xff);
}

/** Clears what is not in `row`; returns how many bits are left. */
function and(columns: Uint8Array, row: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < columns.length; at += 1) {
    let byte = (columns[at] ?? 0) & (row[at] ?? 0);
    columns[at] = byte;
    for (; byte !== 0; byte &= byte - 1) count += 1;
  }
  return count;
}

function moveToFront(hashes: number[], place: number): void {
  const [hash] = hashes.splice(place, 1);
  if (hash !== undefined) hashes.unshift(hash);
}

function addOrdinals(found: Set<number>, columns: Uint8Array, readPage: (page: number) => Uint16Array): void {
  let page = -1;
  let table = new Uint16Array(0);
  for (const [at, byte] of columns.entries()) {
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
