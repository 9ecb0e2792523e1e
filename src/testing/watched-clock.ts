import { FakeClock } from "./fake-clock.ts";

/** Fake clock that notifies of new timers of a given length. */
export class WatchedClock extends FakeClock {
  /** Resolves when a timer of `delayMs` is set. */
  readonly asked: Promise<void>;
  readonly #delayMs: number;
  readonly #resolve: () => void;

  constructor(delayMs: number) {
    super();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#delayMs = delayMs;
    this.#resolve = resolve;
    this.asked = promise;
  }

  override after(delayMs: number, action: () => void): () => void {
    const cancel = super.after(delayMs, action);
    if (delayMs === this.#delayMs) this.#resolve();
    return cancel;
  }
}
