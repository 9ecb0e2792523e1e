import { emptyState } from "./message-states.ts";
import type { PieceTable } from "./piece-table.ts";

/**
 * Sets of ordinals by number. A number below `size` is that ordinal alone; set `size + n` is a set of several and lies,
 * as bits, in `wordCount` words from `n · wordCount`.
 */
export interface NumberedSets {
  readonly size: number;
  readonly wordCount: number;
  readonly words: Uint32Array<ArrayBuffer>;
}

/** The sets of messages that pieces have, each set once. */
export interface PieceSets extends NumberedSets {
  /** The number of each piece's set. */
  readonly setOf: Int32Array<ArrayBuffer>;
}

/** Reads the pieces' states out; `ordinals` gives each message, in the order of their adding, its bit. */
export function readPieceSets(pieces: PieceTable, ordinals: readonly number[]): PieceSets {
  const { states } = pieces;
  const size = ordinals.length;
  const several = new Map<number, number>();
  const setOf = new Int32Array(pieces.count);
  for (let piece = 0; piece < pieces.count; piece++) {
    const state = pieces.stateOf(piece);
    if (states.parentOf(state) === emptyState) {
      setOf[piece] = ordinals[states.lastOf(state)] ?? 0;
    } else {
      const number = several.get(state) ?? size + several.size;
      several.set(state, number);
      setOf[piece] = number;
    }
  }
  const wordCount = (size + 31) >>> 5;
  const words = new Uint32Array(several.size * wordCount);
  for (const [owner, number] of several) {
    const start = (number - size) * wordCount;
    for (let state = owner; state !== emptyState; state = states.parentOf(state)) {
      const ordinal = ordinals[states.lastOf(state)] ?? 0;
      words[start + (ordinal >>> 5)] = (words[start + (ordinal >>> 5)] ?? 0) | (1 << (ordinal & 31));
    }
  }
  return { size, wordCount, words, setOf };
}

/** The words of a set of several. */
export function wordsOf({ size, wordCount, words }: NumberedSets, number: number): Uint32Array {
  return words.subarray((number - size) * wordCount, (number - size + 1) * wordCount);
}
