import { GramMarker, type GramFilter } from "./grams.ts";

/** Bits of the smallest and the largest signature, as powers of two. Part of the file format. */
const sizeExponentMin = 8;
/** Exponent of the largest signature: 256 KB. */
const sizeExponentMax = 21;
/** Largest share of bits that are set: more would give false candidates, less would take more space and time. */
const fillMax = 0.5;

/** Hashes that one byte of a text can add: those of the byte, the pair, the triple and the run that end with it. */
const hashCountPerByteMax = 7;

/** Bloom filter over the grams of one text: 2^`exponent` bits. */
export interface Signature {
  readonly exponent: number;
  readonly bits: Uint32Array<ArrayBuffer>;
}

/** Creates signatures whose size follows from the number of distinct grams of a text. */
export class SignatureMaker {
  readonly #bits = new Uint32Array(2 ** (sizeExponentMax - 5));
  readonly #marker = new GramMarker(this.#bits);

  /**
   * Returns the signature of a text in its own buffer; undefined when the text has too many distinct grams. Adds its grams to
   * the filter of a segment.
   */
  make(text: Uint8Array, filter: GramFilter): Signature | undefined {
    let exponent = sizeExponentMin;
    while (exponent < sizeExponentMax && 2 ** exponent < hashCountPerByteMax * 2 * text.length) exponent += 1;
    this.#bits.fill(0, 0, 2 ** (exponent - 5));
    const count = this.#marker.mark(text, 2 ** exponent, filter);
    if (count > fillMax * 2 ** sizeExponentMax) return undefined;
    while (exponent > sizeExponentMin && count <= fillMax * 2 ** (exponent - 1)) {
      exponent -= 1;
      this.#fold(2 ** (exponent - 5));
    }
    return { exponent, bits: this.#bits.slice(0, 2 ** (exponent - 5)) };
  }

  /** Halves the signature: hashes are then taken modulo half of its size. */
  #fold(wordCount: number): void {
    const bits = this.#bits;
    for (let place = 0; place < wordCount; place += 1) {
      bits[place] = (bits[place] ?? 0) | (bits[place + wordCount] ?? 0);
    }
  }
}
