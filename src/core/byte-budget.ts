/** Counter of bytes in use that never exceeds its limit. */
export class ByteBudget {
  readonly #bytesMax: number;
  readonly #bytesPerKeyMax: number;
  readonly #onChange: (isExhausted: boolean) => void;
  /** Bytes that holds of each key have taken. */
  readonly #keys = new Map<string, number>();
  #bytesUsed = 0;
  #isExhausted = false;

  /**
   * `onChange` is called when bytes are refused for the first time, and when half of the budget is free again.
   * `bytesPerKeyMax` bounds the holds of one key together; by default only the budget does.
   */
  constructor(
    bytesMax: number,
    onChange: (isExhausted: boolean) => void = () => undefined,
    bytesPerKeyMax: number = bytesMax,
  ) {
    this.#bytesMax = bytesMax;
    this.#onChange = onChange;
    this.#bytesPerKeyMax = bytesPerKeyMax;
  }

  /** Bytes taken and not returned. */
  get bytesUsed(): number {
    return this.#bytesUsed;
  }

  /** Takes `bytes`, or takes nothing and returns false when the limit would be exceeded. */
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

  /** Returns bytes to the budget. */
  give(bytes: number): void {
    this.#bytesUsed -= bytes;
    if (!this.#isExhausted || this.#bytesUsed > this.#bytesMax / 2) return;
    this.#isExhausted = false;
    this.#onChange(false);
  }

  /** Opens a hold, which collects what one piece of work takes for a key and releases it at once. */
  hold(key = ""): ByteHold {
    let held = 0;
    return {
      take: (bytes) => {
        const keyBytes = (this.#keys.get(key) ?? 0) + bytes;
        if (keyBytes > this.#bytesPerKeyMax || !this.take(bytes)) return false;
        this.#keys.set(key, keyBytes);
        held += bytes;
        return true;
      },
      release: () => {
        if (held === 0) return;
        this.give(held);
        const keyBytes = (this.#keys.get(key) ?? 0) - held;
        if (keyBytes > 0) this.#keys.set(key, keyBytes);
        else this.#keys.delete(key);
        held = 0;
      },
    };
  }
}

/** Bytes that one piece of work has taken from a {@link ByteBudget}. */
export interface ByteHold {
  /** As {@link ByteBudget.take}. */
  take(bytes: number): boolean;
  /** Returns all bytes; idempotent. */
  release(): void;
}
