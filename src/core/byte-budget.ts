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
