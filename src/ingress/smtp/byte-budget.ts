/** A count of bytes in use that never passes its bound. */
export class ByteBudget {
  readonly #bytesMax: number;
  #bytesUsed = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes taken and not given back. */
  get bytesUsed(): number {
    return this.#bytesUsed;
  }

  /** Takes `bytes`, or takes nothing and returns false when they would pass the bound. */
  take(bytes: number): boolean {
    if (this.#bytesUsed + bytes > this.#bytesMax) return false;
    this.#bytesUsed += bytes;
    return true;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#bytesUsed -= bytes;
  }
}
