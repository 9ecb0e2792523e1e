/** Bytes that one slice decompresses; a longer text is decompressed in a slice of its own. */
const sliceBytesMax = 2 * 1024 * 1024;

/** Budget of time and bytes for one slice of a search. */
export class SearchSlice {
  readonly #end: number;
  #byteCount = 0;

  /** `msMax`: milliseconds from now. */
  constructor(msMax: number) {
    this.#end = performance.now() + msMax;
  }

  /** Reserves the bytes of a text that will be decompressed; false when it must wait for the next slice. */
  admit(byteCount: number): boolean {
    if (this.#byteCount > 0 && this.#byteCount + byteCount > sliceBytesMax) return false;
    this.#byteCount += byteCount;
    return true;
  }

  /** Whether the slice should end. */
  get isOver(): boolean {
    return this.#byteCount >= sliceBytesMax || performance.now() > this.#end;
  }
}
