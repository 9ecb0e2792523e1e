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
  /** References of sets by a hash of their bits; sets whose hashes meet follow one another. */
  readonly #known = new Map<number, { readonly words: Uint32Array; readonly reference: number }[]>();
  #count = 0;

  constructor(pages: SetPageWriter, size: number) {
    this.#pages = pages;
    this.size = size;
  }

  /** The reference of a set that is now in the pages; undefined when it is not worth sharing, or no more are taken. */
  referenceOf(words: Uint32Array): number | undefined {
    if (hasAtMost(words, unsharedCountMax)) return undefined;
    const hash = hashWords(words);
    const sameHash = this.#known.get(hash);
    const known = sameHash?.find((one) => areEqual(one.words, words));
    if (known !== undefined) return known.reference;
    if (this.#count === setCountMax) return undefined;
    this.#count++;
    const copy = words.slice();
    const reference = this.#pages.add(new OrdinalSet(this.size, copy));
    if (sameHash === undefined) this.#known.set(hash, [{ words: copy, reference }]);
    else sameHash.push({ words: copy, reference });
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

function areEqual(one: Uint32Array, other: Uint32Array): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

function hashWords(words: Uint32Array): number {
  let hash = 0;
  for (let at = 0; at < words.length; at++) {
    hash = Math.imul(hash ^ (words[at] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
