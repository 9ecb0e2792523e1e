import { emptyState } from "./message-states.ts";
import type { PieceTable } from "./piece-table.ts";

/** Sets of ordinals by number, as bits: set `n` lies in `wordCount` words from `n · wordCount`. */
export interface NumberedSets {
  readonly wordCount: number;
  readonly words: Uint32Array;
}

/** The sets of messages that pieces have, each set once. */
export interface PieceSets extends NumberedSets {
  /** The number of each piece's set. */
  readonly setOf: Int32Array;
  /** For each set its only member, or −1 where it has several. */
  readonly single: Int32Array;
}

/** Reads the pieces' states out; `ordinals` gives each message, in the order of their adding, its bit. */
export function readPieceSets(pieces: PieceTable, ordinals: readonly number[]): PieceSets {
  const { states } = pieces;
  const numbers = new Map<number, number>();
  const setOf = new Int32Array(pieces.count);
  for (let piece = 0; piece < pieces.count; piece++) {
    const state = pieces.stateOf(piece);
    const number = numbers.get(state) ?? numbers.size;
    numbers.set(state, number);
    setOf[piece] = number;
  }
  const wordCount = (ordinals.length + 31) >>> 5;
  const words = new Uint32Array(numbers.size * wordCount);
  const single = new Int32Array(numbers.size).fill(-1);
  for (const [owner, number] of numbers) {
    if (states.parentOf(owner) === emptyState) single[number] = ordinals[states.lastOf(owner)] ?? 0;
    for (let state = owner; state !== emptyState; state = states.parentOf(state)) {
      const ordinal = ordinals[states.lastOf(state)] ?? 0;
      const at = number * wordCount + (ordinal >>> 5);
      words[at] = (words[at] ?? 0) | (1 << (ordinal & 31));
    }
  }
  return { wordCount, words, setOf, single };
}

/** The words of a set. */
export function wordsOf(sets: NumberedSets, number: number): Uint32Array {
  return sets.words.subarray(number * sets.wordCount, (number + 1) * sets.wordCount);
}
