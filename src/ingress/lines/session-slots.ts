/** Bounds of the sessions of one kind. */
export interface SlotBounds {
  readonly countMax: number;
  /** Sessions of one client address. */
  readonly countPerAddressMax: number;
}

/** Sessions of one kind that a listener has, by client address. */
export class SessionSlots {
  readonly #bounds: SlotBounds;
  readonly #countByAddress = new Map<string, number>();
  #count = 0;

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
  }

  /** Takes a slot; returns false when there is none for this address. */
  take(address: string): boolean {
    const count = this.#countByAddress.get(address) ?? 0;
    if (this.#count >= this.#bounds.countMax || count >= this.#bounds.countPerAddressMax) return false;
    this.#count += 1;
    this.#countByAddress.set(address, count + 1);
    return true;
  }

  /** Returns a slot that was taken. */
  release(address: string): void {
    const left = (this.#countByAddress.get(address) ?? 1) - 1;
    this.#count -= 1;
    if (left === 0) this.#countByAddress.delete(address);
    else this.#countByAddress.set(address, left);
  }
}
