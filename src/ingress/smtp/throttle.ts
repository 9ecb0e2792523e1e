import type { Clock } from "../../core/clock.ts";
import type { ContentReader } from "./input.ts";

/** Time whose bytes are read at once: a throttled session sets at most four timers a second. */
const periodMs = 250;

/** Error of the sums below, in bytes; without it a pause that is long enough could be followed by another one. */
const roundingError = 1e-6;

/** Rate limit of the content of one mail: at most the bytes of {@link periodMs} at once, and at least one byte. */
export class Throttle {
  readonly #bytesPerSecond: number;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #burstBytes: number;
  #availableBytes = 0;
  #isLifted = false;
  #refilledAt: number;

  constructor(bytesPerSecond: number, clock: Pick<Clock, "monotonicMs">) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#clock = clock;
    this.#burstBytes = Math.ceil((bytesPerSecond * periodMs) / 1000);
    this.#refilledAt = clock.monotonicMs();
  }

  /** Takes and returns the number of bytes that may be read now, at most `wanted`. */
  take(wanted: number): number {
    if (this.#isLifted) return wanted;
    const now = this.#clock.monotonicMs();
    const refill = ((now - this.#refilledAt) * this.#bytesPerSecond) / 1000;
    this.#refilledAt = now;
    this.#availableBytes = Math.min(this.#burstBytes, this.#availableBytes + refill);
    const taken = Math.min(wanted, Math.floor(this.#availableBytes + roundingError));
    this.#availableBytes -= taken;
    return taken;
  }

  /** Removes the limit. */
  lift(): void {
    this.#isLifted = true;
  }

  /** Milliseconds until the largest number of bytes may be read at once; at least 1. */
  get pauseMs(): number {
    return Math.max(1, Math.ceil(((this.#burstBytes - this.#availableBytes) * 1000) / this.#bytesPerSecond));
  }
}

/** Reader that reads from another one no faster than a throttle allows. */
export class ThrottledReader implements ContentReader {
  readonly #reader: ContentReader;
  readonly #throttle: Throttle;

  constructor(reader: ContentReader, throttle: Throttle) {
    this.#reader = reader;
    this.#throttle = throttle;
  }

  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  get pauseMs(): number {
    return this.#throttle.pauseMs;
  }

  read(chunk: Buffer, offset: number): number {
    const size = this.#throttle.take(chunk.length - offset);
    return size === 0 ? offset : this.#reader.read(chunk.subarray(0, offset + size), offset);
  }
}
