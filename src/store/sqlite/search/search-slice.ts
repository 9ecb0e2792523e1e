/** Texts that one slice unpacks, apart from a longer one that is unpacked in a slice of its own. */
const sliceBytesMax = 2 * 1024 * 1024;

/** Work that one slice of a search may do before others get their turn. */
export class SearchSlice {
  readonly #end: number;
  #byteCount = 0;

  /** `msMax`: time from now on. */
  constructor(msMax: number) {
    this.#end = performance.now() + msMax;
  }

  /** Counts in a text that is about to be unpacked; false where it has to wait for the next slice. */
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
