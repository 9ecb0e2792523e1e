/** A count of bytes in use that never passes its bound. */
export class ByteBudget {
  readonly #bytesMax: number;
  readonly #onChange: (isExhausted: boolean) => void;
  #bytesUsed = 0;
  #isExhausted = false;

  /** `onChange` hears when bytes are refused for the first time, and when half of the budget is free again. */
  constructor(bytesMax: number, onChange: (isExhausted: boolean) => void = () => undefined) {
    this.#bytesMax = bytesMax;
    this.#onChange = onChange;
  }

  /** Bytes taken and not given back. */
  get bytesUsed(): number {
    return this.#bytesUsed;
  }

  /** Takes `bytes`, or takes nothing and returns false when they would pass the bound. */
  take(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.#bytesUsed += bytes;
    return true;
  }

  /** Whether `bytes` can be taken now; false counts as a refusal. */
  hasRoom(bytes: number): boolean {
    if (this.#bytesUsed + bytes <= this.#bytesMax) return true;
    if (!this.#isExhausted) this.#onChange(true);
    this.#isExhausted = true;
    return false;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#bytesUsed -= bytes;
    if (!this.#isExhausted || this.#bytesUsed > this.#bytesMax / 2) return;
    this.#isExhausted = false;
    this.#onChange(false);
  }

  /** A place for what one piece of work takes, to be given back as a whole. */
  hold(): ByteHold {
    let held = 0;
    return {
      take: (bytes) => {
        if (!this.take(bytes)) return false;
        held += bytes;
        return true;
      },
      release: () => {
        this.give(held);
        held = 0;
      },
    };
  }
}

/** What one piece of work has taken from a {@link ByteBudget}. */
export interface ByteHold {
  /** As {@link ByteBudget.take}. */
  take(bytes: number): boolean;
  /** Gives all of it back; harmless when there is nothing. */
  release(): void;
}
