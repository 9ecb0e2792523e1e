/** Set of ordinals of one segment, as bits. */
export class OrdinalSet {
  readonly #words: Uint32Array;

  /** `size`: number of the segment's messages. */
  constructor(size: number) {
    this.#words = new Uint32Array(Math.ceil(size / 32));
  }

  get isEmpty(): boolean {
    return this.#words.every((word) => word === 0);
  }

  has(ordinal: number): boolean {
    return (((this.#words[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1) === 1;
  }

  add(ordinal: number): void {
    this.#words[ordinal >>> 5] = (this.#words[ordinal >>> 5] ?? 0) | (1 << (ordinal & 31));
  }

  /** Adds all ordinals of a set of the same segment. */
  addAll(other: OrdinalSet): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) | (other.#words[at] ?? 0);
  }

  /** Removes the ordinals that another set of the same segment does not contain. */
  intersect(other: OrdinalSet): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) & (other.#words[at] ?? 0);
  }

  /** Returns the ordinals, ascending. */
  toArray(): Uint16Array {
    const words = this.#words;
    let size = 0;
    for (let at = 0; at < words.length; at += 1) size += bitCount(words[at] ?? 0);
    const ordinals = new Uint16Array(size);
    let count = 0;
    for (let at = 0; at < words.length; at += 1) {
      for (let rest = words[at] ?? 0; rest !== 0;) {
        const lowest = rest & -rest;
        ordinals[count++] = at * 32 + 31 - Math.clz32(lowest);
        rest ^= lowest;
      }
    }
    return ordinals;
  }
}

/** Returns the number of set bits of a word. */
export function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
