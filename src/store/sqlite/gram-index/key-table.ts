import { randomInt } from "node:crypto";
import { doubled, release } from "./arrays.ts";
import { gramKey } from "./grams.ts";
import type { OwnedGrams } from "./gram-partitions.ts";
import type { GramField } from "./grams.ts";
import type { NumberedSets } from "./piece-sets.ts";

/** Odd, and unknown to whoever writes mails: nobody can choose texts whose grams meet in one slot. */
const scatter = randomInt(2 ** 31) * 2 + 1;
/** High part of a free slot: no gram starts with a zero byte. */
const free = 0;
const slotBitsMin = 14;

/**
 * The messages of each gram of one field: a common set as long as the gram was met with that one only, from then on a
 * set of its own, the union of all that it was met with.
 */
export class KeyTable {
  readonly #common: NumberedSets;
  #high = new Uint32Array(1 << slotBitsMin);
  #low = new Uint16Array(1 << slotBitsMin);
  /** For each slot the number of a common set, or minus the number of an own set, minus one. */
  #values = new Int32Array(1 << slotBitsMin);
  #shift = 32 - slotBitsMin;
  #count = 0;
  #ownCount = 0;
  #own: Uint32Array<ArrayBuffer>;

  constructor(common: NumberedSets) {
    this.#common = common;
    this.#own = new Uint32Array(256 * common.wordCount);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds to each gram the common set that it is met with. */
  add({ high, low, sets }: OwnedGrams): void {
    for (let at = 0; at < high.length; at++) this.#add(high[at] ?? 0, low[at] ?? 0, sets[at] ?? 0);
  }

  /** All keys, lowest first. */
  sortedKeys(field: GramField): Float64Array {
    const keys = new Float64Array(this.#count);
    let count = 0;
    for (let slot = 0; slot < this.#high.length; slot++) {
      const high = this.#high[slot] ?? free;
      if (high !== free) keys[count++] = gramKey(field, high, this.#low[slot] ?? 0);
    }
    return keys.sort();
  }

  /** What a key that is here leads to: the number of a common set, or below zero a name for {@link ownWords}. */
  valueOf(key: number): number {
    return this.#values[this.#slotOf(Math.floor(key / 2 ** 16) >>> 0, key % 2 ** 16)] ?? 0;
  }

  /** The bits of a set of its own. */
  ownWords(value: number): Uint32Array {
    const { wordCount } = this.#common;
    return this.#own.subarray((-1 - value) * wordCount, -value * wordCount);
  }

  /** Forgets all grams, and keeps the memory for the next ones. */
  clear(): void {
    this.#high.fill(free);
    this.#own.fill(0);
    this.#count = 0;
    this.#ownCount = 0;
  }

  /** Frees the memory; nothing may be asked afterwards. */
  release(): void {
    release(this.#high, this.#low, this.#values, this.#own);
  }

  #add(high: number, low: number, common: number): void {
    const slot = this.#slotOf(high, low);
    const value = this.#values[slot] ?? 0;
    if (this.#high[slot] === free) {
      this.#high[slot] = high;
      this.#low[slot] = low;
      this.#values[slot] = common;
      this.#count++;
      if (this.#count * 2 > this.#high.length) this.#grow();
    } else if (value < 0) {
      this.#unite(-1 - value, common);
    } else if (value !== common) {
      this.#values[slot] = -1 - this.#newOwn(value, common);
    }
  }

  #slotOf(high: number, low: number): number {
    const [highs, lows] = [this.#high, this.#low];
    const mask = highs.length - 1;
    const mixed = Math.imul(high, scatter) ^ (high >>> 15) ^ Math.imul(low, 0x85ebca77);
    let slot = Math.imul(mixed, scatter) >>> this.#shift;
    while (highs[slot] !== free && (highs[slot] !== high || lows[slot] !== low)) slot = (slot + 1) & mask;
    return slot;
  }

  #newOwn(first: number, second: number): number {
    const { wordCount } = this.#common;
    const own = this.#ownCount++;
    if (this.#ownCount * wordCount > this.#own.length) this.#own = new Uint32Array(doubled(this.#own.buffer));
    this.#unite(own, first);
    this.#unite(own, second);
    return own;
  }

  #unite(own: number, common: number): void {
    const { size, wordCount, words } = this.#common;
    const sets = this.#own;
    const target = own * wordCount;
    if (common < size) {
      const at = target + (common >>> 5);
      sets[at] = (sets[at] ?? 0) | (1 << (common & 31));
      return;
    }
    const source = (common - size) * wordCount;
    for (let at = 0; at < wordCount; at++) sets[target + at] = (sets[target + at] ?? 0) | (words[source + at] ?? 0);
  }

  #grow(): void {
    const [high, low, values] = [this.#high, this.#low, this.#values];
    this.#high = new Uint32Array(high.length * 2);
    this.#low = new Uint16Array(high.length * 2);
    this.#values = new Int32Array(high.length * 2);
    this.#shift--;
    for (let at = 0; at < high.length; at++) {
      if (high[at] === free) continue;
      const slot = this.#slotOf(high[at] ?? 0, low[at] ?? 0);
      this.#high[slot] = high[at] ?? 0;
      this.#low[slot] = low[at] ?? 0;
      this.#values[slot] = values[at] ?? 0;
    }
    release(high, low, values);
  }
}
