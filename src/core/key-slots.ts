import { Problem } from "./errors.ts";

const retryAfterSeconds = 1;

/** Concurrency limit per key. */
export class KeySlots {
  readonly #countMax: number;
  readonly #what: string;
  readonly #counts = new Map<string, number>();

  /** `what` names the limited items in the plural, for error texts. */
  constructor(countMax: number, what: string) {
    this.#countMax = countMax;
    this.#what = what;
  }

  /** Whether the key has a free slot. */
  hasFree(key: string): boolean {
    return (this.#counts.get(key) ?? 0) < this.#countMax;
  }

  /** Takes a slot of the key until the returned function is called; throws `too_many_requests` when none is free. */
  take(key: string): () => void {
    if (!this.hasFree(key)) {
      const text = `This key has ${String(this.#countMax)} ${this.#what} under way; retry later`;
      throw new Problem("too_many_requests", { text, retryAfterSeconds });
    }
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const count = (this.#counts.get(key) ?? 0) - 1;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    };
  }
}
