/**
 * Postings: which of a segment's messages contain a gram, as a set of ordinals below the segment's size.
 *
 * Encoded as a varint `count · 4 + form` and then, whichever is shortest: the gaps between members, the gaps between
 * the missing ones, or one bit for each ordinal, lowest first.
 */
import type { ByteReader, ByteWriter } from "./byte-writer.ts";

const formMembers = 0;
const formMissing = 1;
const formBits = 2;

/** A set of ordinals below `size`, one bit each. */
export class OrdinalSet {
  readonly size: number;
  readonly words: Uint32Array;
  constructor(size: number, words: Uint32Array = new Uint32Array((size + 31) >>> 5)) {
    this.size = size;
    this.words = words;
  }

  add(ordinal: number): void {
    this.words[ordinal >>> 5] = (this.words[ordinal >>> 5] ?? 0) | (1 << (ordinal & 31));
  }

  has(ordinal: number): boolean {
    return ((this.words[ordinal >>> 5] ?? 0) & (1 << (ordinal & 31))) !== 0;
  }

  count(): number {
    let count = 0;
    for (const word of this.words) count += bitCount(word);
    return count;
  }

  /** The lowest member; −1 where there is none. */
  first(): number {
    const at = this.words.findIndex((word) => word !== 0);
    if (at < 0) return -1;
    const word = this.words[at] ?? 0;
    return at * 32 + 31 - Math.clz32(word & -word);
  }

  /** Keeps what both hold. */
  intersect(other: OrdinalSet): void {
    for (let at = 0; at < this.words.length; at++) this.words[at] = (this.words[at] ?? 0) & (other.words[at] ?? 0);
  }

  /** Takes in what the other holds, each ordinal moved on by `offset`. */
  unite(other: OrdinalSet, offset = 0): void {
    const shift = offset & 31;
    let target = offset >>> 5;
    for (let at = 0; at < other.words.length; at++) {
      const word = other.words[at] ?? 0;
      this.words[target] = (this.words[target] ?? 0) | (word << shift);
      target++;
      // Behind the end there is nothing to be moved on to, and writing there changes nothing.
      if (shift !== 0) this.words[target] = (this.words[target] ?? 0) | (word >>> (32 - shift));
    }
  }

  /** The members, lowest first. */
  members(): number[] {
    const members: number[] = [];
    for (const [at, word] of this.words.entries()) {
      for (let rest = word; rest !== 0; rest &= rest - 1) members.push(at * 32 + 31 - Math.clz32(rest & -rest));
    }
    return members;
  }
}

/** Writes a set so that {@link readPosting} gives it back. */
export function writePosting(writer: ByteWriter, set: OrdinalSet): void {
  const count = set.count();
  const missingCount = set.size - count;
  const bitBytes = (set.size + 7) >>> 3;
  if (Math.min(count, missingCount) >= bitBytes) {
    writer.varint(count * 4 + formBits);
    for (let at = 0; at < bitBytes; at++) writer.byte(((set.words[at >>> 2] ?? 0) >>> ((at & 3) * 8)) & 0xff);
  } else if (count <= missingCount) {
    writer.varint(count * 4 + formMembers);
    writeGaps(writer, set);
  } else {
    writer.varint(count * 4 + formMissing);
    writeGaps(writer, complement(set));
  }
}

/** Reads one set of ordinals below `size`. */
export function readPosting(reader: ByteReader, size: number): OrdinalSet {
  const head = reader.varint();
  const count = head >>> 2;
  const form = head & 3;
  const set = new OrdinalSet(size);
  if (form === formBits) {
    for (let at = 0; at < (size + 7) >>> 3; at++) {
      const byte = reader.bytes[reader.at++] ?? 0;
      set.words[at >>> 2] = (set.words[at >>> 2] ?? 0) | (byte << ((at & 3) * 8));
    }
    trim(set);
    return set;
  }
  let ordinal = -1;
  for (let left = form === formMembers ? count : size - count; left > 0; left--) {
    ordinal += reader.varint() + 1;
    if (ordinal >= size) break;
    set.add(ordinal);
  }
  return form === formMembers ? set : complement(set);
}

function writeGaps(writer: ByteWriter, set: OrdinalSet): void {
  let last = -1;
  for (let at = 0; at < set.words.length; at++) {
    for (let rest = set.words[at] ?? 0; rest !== 0; rest &= rest - 1) {
      const ordinal = at * 32 + 31 - Math.clz32(rest & -rest);
      writer.varint(ordinal - last - 1);
      last = ordinal;
    }
  }
}

function complement(set: OrdinalSet): OrdinalSet {
  const other = new OrdinalSet(
    set.size,
    set.words.map((word) => ~word),
  );
  trim(other);
  return other;
}

/** Clears the bits behind the last ordinal. */
function trim(set: OrdinalSet): void {
  const spare = set.size & 31;
  const last = set.words.length - 1;
  if (spare !== 0) set.words[last] = (set.words[last] ?? 0) & ((1 << spare) - 1);
}

function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
