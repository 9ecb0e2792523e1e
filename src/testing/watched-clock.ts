import { FakeClock } from "./fake-clock.ts";

/** A fake clock that tells when somebody asks for a timer of a certain length. */
export class WatchedClock extends FakeClock {
  /** Resolves once a timer of `delayMs` was asked for. */
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
