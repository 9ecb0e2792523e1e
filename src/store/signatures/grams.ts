/**
 * Grams of a text, as hashes: its single bytes, pairs and triples of bytes with two hashes each (triples that are one
 * character with four), and runs of five bytes with one. Texts and terms are UTF-8, so a term occurs in a text only if all
 * of its grams do. Part of the file format.
 */

const kinds = { byte: 0x0100_0000, pair: 0x0200_0000, triple: 0x0300_0000 } as const;
const fiveSeed = 0x27d4_eb2f;

/** Places of grams in the filter of a segment: a bit for each triple, pair and byte; runs of five bytes share bits by hash. */
const filterPlaces = { triple: 0, pair: 2 ** 24, byte: 2 ** 24 + 2 ** 16, five: 2 ** 24 + 2 ** 17 } as const;
const filterFiveMask = 2 ** 22 - 1;
/** Bits of a filter, rounded up. */
export const filterBitCount: number = 2 ** 24 + 2 ** 17 + 2 ** 22;
/** Grams of a term that are looked up in a filter, of each length. */
const filterGramCountMax = { five: 16, triple: 8 } as const;

/** Filter of a segment, to which grams are added. */
export interface GramFilter {
  readonly bits: Uint32Array;
  /** It contains one run of five bytes in this many, selected by hash; a power of two up to 256. */
  readonly fiveRarity: number;
}

/**
 * Returns every distinct hash that a text with this term must have; the most selective grams first. Shorter grams are part of
 * longer ones, so they are left out, except those of terms of two and three bytes, which have few hashes.
 */
export function hashesOfTerm(term: Uint8Array): readonly number[] {
  const hashes = new Set<number>();
  const five = 5;
  for (let at = 0; at + five <= term.length; at += 1) {
    hashes.add(hashOfFive(wordAt(term, at + 1), term[at] ?? 0));
  }
  if (term.length === 0) return [];
  const length = Math.min(3, term.length);
  addHashes(hashes, term, length);
  if (term.length === 2 || term.length === 3) addHashes(hashes, term, length - 1);
  return [...hashes];
}

/** Adds the hashes of the grams of a term with a length of one to three bytes. */
function addHashes(hashes: Set<number>, term: Uint8Array, length: number): void {
  const kind = [0, kinds.byte, kinds.pair, kinds.triple][length] ?? 0;
  for (let at = 0; at <= term.length - length; at += 1) {
    let gram = 0;
    for (let place = at; place < at + length; place += 1) gram = (gram << 8) | (term[place] ?? 0);
    const first = firstHash(gram | kind);
    hashes.add(first);
    hashes.add(secondHash(first));
    if (length < 3 || !isCharacter(gram)) continue;
    hashes.add(thirdHash(first));
    hashes.add(secondHash(thirdHash(first)));
  }
}

/**
 * Returns places in the filter of a segment, all of which are set where the segment has a text with this term; the most
 * selective ones first.
 */
export function filterPlacesOfTerm(term: Uint8Array, fiveRarity: number): readonly number[] {
  const [first = 0, second = 0] = term;
  if (term.length === 1) return [filterPlaces.byte + first];
  if (term.length === 2) return [filterPlaces.pair + ((first << 8) | second)];
  const fives: number[] = [];
  const triples: number[] = [];
  for (let at = 0; at + 3 <= term.length; at += 1) {
    triples.push(filterPlaces.triple + (wordAt(term, at - 1) & 0xff_ffff));
    if (at + 5 > term.length) continue;
    const hash = hashOfFive(wordAt(term, at + 1), term[at] ?? 0);
    if (isSampled(hash, fiveRarity)) fives.push(filterPlaces.five + (hash & filterFiveMask));
  }
  return [...spread(fives, filterGramCountMax.five), ...spread(triples, filterGramCountMax.triple)];
}

/** Returns at most `countMax` of the values, evenly spread. */
function spread(values: readonly number[], countMax: number): readonly number[] {
  const step = Math.max(1, values.length / countMax);
  return Array.from({ length: Math.min(values.length, countMax) }, (_, at) => values[Math.floor(at * step)] ?? 0);
}

/** Slots of {@link RecentFives}, as a power of two; at least 8, so that slot and word determine the byte before it. */
const slotExponent = 14;

/** Lossy set of the runs of five bytes in the current text. */
class RecentFives {
  /** The last four bytes of the run in each slot; 0 in an empty one. */
  readonly #words = new Int32Array(2 ** slotExponent);

  clear(): void {
    this.#words.fill(0);
  }

  /** Returns whether the run was added since it was last cleared, and adds it. May return false for one that was. */
  has(word: number, byteBefore: number): boolean {
    const slot = slotOf(word, byteBefore);
    if (this.#words[slot] === word) return word !== 0;
    this.#words[slot] = word;
    return false;
  }
}

/** With the same word, only the same byte before it leads to the same slot, so that the word determines the whole run. */
function slotOf(word: number, byteBefore: number): number {
  return (Math.imul(word, 0x9e37_79b1) >>> (32 - slotExponent)) ^ byteBefore;
}

/** Marks the hashes of every gram of a text. One instance reuses its tables for many texts. */
export class GramMarker {
  readonly #recentFives = new RecentFives();
  readonly #seenBytes = new Uint8Array(256);
  readonly #seenPairs = new Uint8Array(256 * 256);
  readonly #bits: Uint32Array;

  /** `bits` is the bit set that {@link mark} changes. */
  constructor(bits: Uint32Array) {
    this.#bits = bits;
  }

  /**
   * Sets the bit of each hash of the text, modulo `size`, a power of two, and the places of its grams in `filter`; returns
   * the number of newly set bits of the text.
   */
  mark(text: Uint8Array, size: number, { bits: filter, fiveRarity }: GramFilter): number {
    const mask = size - 1;
    let count = 0;
    let word = 0;
    for (let at = 0; at < text.length; at += 1) {
      const byteBefore = word >>> 24;
      const byte = text[at] ?? 0;
      word = (word << 8) | byte;
      // All grams that end here are part of this run, so they have been marked as well.
      if (at >= 4 && this.#recentFives.has(word, byteBefore)) continue;
      if (this.#seenBytes[byte] === 0) {
        this.#seenBytes[byte] = 1;
        setPlace(filter, filterPlaces.byte + byte);
        count += this.#setTwo(byte | kinds.byte, mask);
      }
      if (at === 0) continue;
      const pair = word & 0xffff;
      if (this.#seenPairs[pair] === 0) {
        this.#seenPairs[pair] = 1;
        setPlace(filter, filterPlaces.pair + pair);
        count += this.#setTwo(pair | kinds.pair, mask);
      }
      const triple = word & 0xff_ffff;
      if (at >= 2) {
        setPlace(filter, filterPlaces.triple + triple);
        count += this.#setTriple(triple, mask);
      }
      if (at >= 4) {
        const hash = hashOfFive(word, byteBefore);
        if (isSampled(hash, fiveRarity)) setPlace(filter, filterPlaces.five + (hash & filterFiveMask));
        count += this.#set(hash, mask);
      }
    }
    this.#forget();
    return count;
  }

  /** Empties the tables. */
  #forget(): void {
    this.#seenBytes.fill(0);
    this.#seenPairs.fill(0);
    this.#recentFives.clear();
  }

  #setTriple(gram: number, mask: number): number {
    const count = this.#setTwo(gram | kinds.triple, mask);
    if (!isCharacter(gram)) return count;
    const third = thirdHash(firstHash(gram | kinds.triple));
    return count + this.#set(third, mask) + this.#set(secondHash(third), mask);
  }

  #setTwo(gram: number, mask: number): number {
    const first = firstHash(gram);
    return this.#set(first, mask) + this.#set(secondHash(first), mask);
  }

  #set(hash: number, mask: number): 0 | 1 {
    const place = (hash & mask) >>> 5;
    const bit = 1 << (hash & 31);
    const before = this.#bits[place] ?? 0;
    if ((before & bit) !== 0) return 0;
    this.#bits[place] = before | bit;
    return 1;
  }
}

/** Whether a filter contains runs of five bytes with this hash; decided by bits that do not determine the place. */
function isSampled(hash: number, fiveRarity: number): boolean {
  return ((hash >>> 24) & (fiveRarity - 1)) === 0;
}

function setPlace(filter: Uint32Array, place: number): void {
  filter[place >>> 5] = (filter[place >>> 5] ?? 0) | (1 << (place & 31));
}

function wordAt(bytes: Uint8Array, at: number): number {
  let word = 0;
  for (let place = at; place < at + 4; place += 1) word = (word << 8) | (bytes[place] ?? 0);
  return word;
}

/** Returns the hash of five bytes: the last four, and the one before them. */
function hashOfFive(word: number, byteBefore: number): number {
  const mixed = Math.imul(word, 0x85eb_ca6b) ^ Math.imul(byteBefore + 1, 0xc2b2_ae35);
  const hash = Math.imul(mixed ^ (mixed >>> 15), fiveSeed);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Whether a triple is one character of three bytes, as in Chinese: a term may be that short. */
function isCharacter(triple: number): boolean {
  return triple >>> 20 === 0xe;
}

function firstHash(gram: number): number {
  const mixed = Math.imul(gram ^ (gram >>> 16), 0x85eb_ca6b);
  const hash = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function thirdHash(first: number): number {
  return secondHash(first ^ fiveSeed);
}

function secondHash(first: number): number {
  const hash = Math.imul(first ^ (first >>> 15), 0x9e37_79b1);
  return (hash ^ (hash >>> 14)) >>> 0;
}
