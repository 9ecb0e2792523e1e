import { release } from "./arrays.ts";
import { writeGrams } from "./grams.ts";
import type { GramField, GramParts } from "./grams.ts";
import { pieceBytesMax } from "./piece-table.ts";
import type { PieceTable } from "./piece-table.ts";

/** Grams of one partition, unless they all begin with the same two bytes: what is worked on at a time stays in caches. */
const gramsPerPartition = 64 * 1024;
/**
 * Grams of the partitions that are gathered in one walk over the pieces. A walk costs little beside what is done with
 * its grams, and ten bytes for each gram of a segment would be most of what the index ever takes.
 */
const gramsPerWalk = 8 * gramsPerPartition;
const prefixCount = 2 ** 16;

/** Grams, with the number of the set of messages that has each of them there. */
export interface OwnedGrams extends GramParts {
  readonly sets: Int32Array;
}

/** Partitions that lie one after the other: the grams of each begin where those of the one before end. */
interface Partitions {
  /** The partition of each prefix. */
  readonly partitionOf: Uint32Array;
  /** Where each ends. */
  readonly ends: readonly number[];
}

/** The pieces of a segment whose grams are wanted. */
interface PieceGrams {
  readonly pieces: PieceTable;
  readonly field: GramField;
  /** The number of each piece's set. */
  readonly setOf: Int32Array;
}

/**
 * The grams of all pieces of a field, parted by their first two bytes: each partition is above the one before, and holds
 * only until the next is asked for.
 */
export function* partitionGrams(from: PieceGrams): Generator<OwnedGrams> {
  const partitions = part(countPrefixes(from));
  const { ends } = partitions;
  for (let first = 0; first < ends.length;) {
    const start = ends[first - 1] ?? 0;
    let last = first;
    while (last + 1 < ends.length && (ends[last + 1] ?? 0) - start <= gramsPerWalk) last++;
    const grams = gather(from, partitions, { first, last });
    for (let partition = first; partition <= last; partition++) {
      const [begin, end] = [(ends[partition - 1] ?? 0) - start, (ends[partition] ?? 0) - start];
      const { high, low, sets } = grams;
      yield { high: high.subarray(begin, end), low: low.subarray(begin, end), sets: sets.subarray(begin, end) };
    }
    release(grams.high, grams.low, grams.sets);
    first = last + 1;
  }
}

/** The grams of partitions `first` to `last`, both included, one partition after the other. */
function gather(
  { pieces, field, setOf }: PieceGrams,
  { partitionOf, ends }: Partitions,
  { first, last }: { readonly first: number; readonly last: number },
): { high: Uint32Array<ArrayBuffer>; low: Uint16Array<ArrayBuffer>; sets: Int32Array<ArrayBuffer> } {
  const start = ends[first - 1] ?? 0;
  const gramCount = (ends[last] ?? 0) - start;
  const [highs, lows, sets] = [new Uint32Array(gramCount), new Uint16Array(gramCount), new Int32Array(gramCount)];
  const next = Uint32Array.from({ length: last - first + 1 }, (_, at) => (ends[first + at - 1] ?? 0) - start);
  forEachPiece(pieces, field, (grams, count, piece) => {
    const set = setOf[piece] ?? 0;
    for (let at = 0; at < count; at++) {
      const high = grams.high[at] ?? 0;
      const partition = partitionOf[high >>> 16] ?? 0;
      if (partition < first || partition > last) continue;
      const place = next[partition - first] ?? 0;
      next[partition - first] = place + 1;
      highs[place] = high;
      lows[place] = grams.low[at] ?? 0;
      sets[place] = set;
    }
  });
  return { high: highs, low: lows, sets };
}

function countPrefixes({ pieces, field }: PieceGrams): Uint32Array {
  const counts = new Uint32Array(prefixCount);
  forEachPiece(pieces, field, (grams, count) => {
    for (let at = 0; at < count; at++) {
      const prefix = (grams.high[at] ?? 0) >>> 16;
      counts[prefix] = (counts[prefix] ?? 0) + 1;
    }
  });
  return counts;
}

function part(counts: Uint32Array): Partitions {
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
