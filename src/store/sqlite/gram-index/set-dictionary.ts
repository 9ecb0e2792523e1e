import { doubled, release } from "./arrays.ts";
import { OrdinalSet } from "./posting.ts";
import type { SetPageWriter } from "./segment-pages.ts";

/** Sets that are remembered for sharing; more of them are no longer shared, so that memory stays bounded. */
const setCountMax = 1 << 15;
/** Up to this many messages a reference is no shorter than the set. */
const unsharedCountMax = 3;

/** Writes each distinct set once. */
export class SetDictionary {
  /** How many messages the sets are drawn from. */
  readonly size: number;
  readonly #pages: SetPageWriter;
  readonly #wordCount: number;
  /** Numbers of sets, plus one, by the hash of their bits; zero where there is none. */
  readonly #slots = new Int32Array(2 * setCountMax);
  readonly #references = new Int32Array(setCountMax);
  /** The bits of all sets, one after the other. */
  #words: Uint32Array<ArrayBuffer>;
  #count = 0;

  constructor(pages: SetPageWriter, size: number) {
    this.#pages = pages;
    this.size = size;
    this.#wordCount = (size + 31) >>> 5;
    this.#words = new Uint32Array(256 * this.#wordCount);
  }

  /** The reference of a set that is now in the pages; undefined when it is not worth sharing, or no more are taken. */
  referenceOf(words: Uint32Array): number | undefined {
    if (hasAtMost(words, unsharedCountMax)) return undefined;
    const mask = this.#slots.length - 1;
    let slot = hashWords(words) & mask;
    for (let owner = this.#slots[slot] ?? 0; owner !== 0; owner = this.#slots[slot] ?? 0) {
      if (this.#isAt(owner - 1, words)) return this.#references[owner - 1];
      slot = (slot + 1) & mask;
    }
    if (this.#count === setCountMax) return undefined;
    this.#slots[slot] = this.#count + 1;
    return this.#append(words);
  }

  /** Frees the memory; nothing may be asked afterwards. */
  release(): void {
    release(this.#slots, this.#references, this.#words);
  }

  #isAt(set: number, words: Uint32Array): boolean {
    const start = set * this.#wordCount;
    for (let at = 0; at < this.#wordCount; at++) if (this.#words[start + at] !== words[at]) return false;
    return true;
  }

  #append(words: Uint32Array): number {
    const set = this.#count++;
    if (this.#count * this.#wordCount > this.#words.length) this.#words = new Uint32Array(doubled(this.#words.buffer));
    this.#words.set(words, set * this.#wordCount);
    const reference = this.#pages.add(new OrdinalSet(this.size, words));
    this.#references[set] = reference;
    return reference;
  }
}

function hasAtMost(words: Uint32Array, bound: number): boolean {
  let count = 0;
  for (let at = 0; at < words.length && count <= bound; at++) {
    for (let rest = words[at] ?? 0; rest !== 0 && count <= bound; rest &= rest - 1) count++;
  }
  return count <= bound;
}

function hashWords(words: Uint32Array): number {
  let hash = 0;
  for (let at = 0; at < words.length; at++) {
    hash = Math.imul(hash ^ (words[at] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
