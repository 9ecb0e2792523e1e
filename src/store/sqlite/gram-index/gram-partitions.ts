import { release } from "./arrays.ts";
import { writeGrams } from "./grams.ts";
import type { GramField, GramParts } from "./grams.ts";
import { pieceBytesMax } from "./piece-table.ts";
import type { PieceTable } from "./piece-table.ts";

/** Grams of one partition, unless they all begin with the same two bytes: what is worked on at a time stays in caches. */
const gramsPerPartition = 64 * 1024;
const prefixCount = 2 ** 16;

/** Grams, with the number of the set of messages that has each of them there. */
export interface OwnedGrams extends GramParts {
  readonly sets: Int32Array;
}

/** The grams of all pieces of a field, parted by their first two bytes: each partition is above the one before. */
export class GramPartitions {
  readonly #high: Uint32Array<ArrayBuffer>;
  readonly #low: Uint16Array<ArrayBuffer>;
  readonly #sets: Int32Array<ArrayBuffer>;
  /** Where each partition ends. */
  readonly #ends: readonly number[];

  /** `setOf` gives the number of each piece's set. */
  constructor(pieces: PieceTable, field: GramField, setOf: Int32Array) {
    const counts = countPrefixes(pieces, field);
    const { partitionOf, ends } = part(counts);
    const gramCount = ends.at(-1) ?? 0;
    this.#high = new Uint32Array(gramCount);
    this.#low = new Uint16Array(gramCount);
    this.#sets = new Int32Array(gramCount);
    this.#ends = ends;
    const next = Uint32Array.from([0, ...ends]);
    const [highs, lows, sets] = [this.#high, this.#low, this.#sets];
    forEachPiece(pieces, field, (grams, count, piece) => {
      const set = setOf[piece] ?? 0;
      for (let at = 0; at < count; at++) {
        const high = grams.high[at] ?? 0;
        const partition = partitionOf[high >>> 16] ?? 0;
        const place = next[partition] ?? 0;
        next[partition] = place + 1;
        highs[place] = high;
        lows[place] = grams.low[at] ?? 0;
        sets[place] = set;
      }
    });
  }

  /** The grams of each partition, in the order of partitions. */
  *[Symbol.iterator](): Generator<OwnedGrams> {
    let start = 0;
    for (const end of this.#ends) {
      yield {
        high: this.#high.subarray(start, end),
        low: this.#low.subarray(start, end),
        sets: this.#sets.subarray(start, end),
      };
      start = end;
    }
  }

  /** Frees the memory; nothing may be asked afterwards. */
  release(): void {
    release(this.#high, this.#low, this.#sets);
  }
}

function countPrefixes(pieces: PieceTable, field: GramField): Uint32Array {
  const counts = new Uint32Array(prefixCount);
  forEachPiece(pieces, field, (grams, count) => {
    for (let at = 0; at < count; at++) {
      const prefix = (grams.high[at] ?? 0) >>> 16;
      counts[prefix] = (counts[prefix] ?? 0) + 1;
    }
  });
  return counts;
}

/** The partition of each prefix, and where partitions end when their grams lie one after the other. */
function part(counts: Uint32Array): { readonly partitionOf: Uint32Array; readonly ends: readonly number[] } {
  const partitionOf = new Uint32Array(prefixCount);
  const ends: number[] = [];
  let start = 0;
  let end = 0;
  for (let prefix = 0; prefix < prefixCount; prefix++) {
    const count = counts[prefix] ?? 0;
    if (end > start && end - start + count > gramsPerPartition) {
      ends.push(end);
      start = end;
    }
    partitionOf[prefix] = ends.length;
    end += count;
  }
  if (end > start) ends.push(end);
  return { partitionOf, ends };
}

function forEachPiece(
  pieces: PieceTable,
  field: GramField,
  visit: (grams: GramParts, count: number, piece: number) => void,
): void {
  const grams = { high: new Uint32Array(pieceBytesMax), low: new Uint16Array(pieceBytesMax) };
  for (let piece = 0; piece < pieces.count; piece++) {
    if (pieces.fieldOf(piece) !== field) continue;
    const stretch = pieces.stretchOf(piece);
    writeGrams(stretch, grams);
    visit(grams, stretch.startEnd - stretch.start, piece);
  }
}
