/** Duration of a window in milliseconds. */
export const windowMs = 100;
/** Rate of messages that counts as a flood: this many in one window. */
const floodMessageCount = 20;
/** Share of a window in which mail waits for its commit that counts as a flood, on a machine of any speed. */
const floodWaitingShare = 0.1;

interface Window {
  messageCount: number;
  waitingMs: number;
}

/** Load by arriving mail, in the current window and the one before; a flood is so much that the index must yield. */
export class IntakeLoad {
  readonly #now: () => number;
  #startedAt = -Infinity;
  #current: Window = { messageCount: 0, waitingMs: 0 };
  #previous: Window = { messageCount: 0, waitingMs: 0 };
  #waitingCount = 0;
  /** Since when mail waits, or the window began. */
  #waitingSince = 0;

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Must be called when messages begin to wait for their commit, before {@link stored}. */
  waiting(): void {
    this.#advance();
    if (this.#waitingCount === 0) this.#waitingSince = this.#now();
    this.#waitingCount += 1;
  }

  /** Must be called when messages were stored, or were not. */
  stored(messageCount: number): void {
    this.#advance();
    this.#current.messageCount += messageCount;
    if (this.#waitingCount === 0) return;
    this.#waitingCount -= 1;
    if (this.#waitingCount === 0) this.#current.waitingMs += this.#now() - this.#waitingSince;
  }

  /** Whether mail arrives at a high rate, or waits for its commit a good part of the time. */
  get isFlood(): boolean {
    this.#advance();
    const now = this.#now();
    const waitingMs = this.#current.waitingMs + (this.#waitingCount > 0 ? now - this.#waitingSince : 0);
    const elapsedMs = now - this.#startedAt + windowMs;
    if ((waitingMs + this.#previous.waitingMs) / elapsedMs >= floodWaitingShare) return true;
    return Math.max(this.#current.messageCount, this.#previous.messageCount) >= floodMessageCount;
  }

  /** Begins a new window where the current one is over. */
  #advance(): void {
    const now = this.#now();
    const age = now - this.#startedAt;
    if (age < windowMs) return;
    if (this.#waitingCount > 0) {
      this.#current.waitingMs += Math.max(0, now - this.#waitingSince);
      this.#waitingSince = now;
    }
    const isRecent = age <= 2 * windowMs || this.#waitingCount > 0;
    this.#previous = isRecent ? this.#current : { messageCount: 0, waitingMs: 0 };
    this.#previous.waitingMs = Math.min(this.#previous.waitingMs, windowMs);
    this.#current = { messageCount: 0, waitingMs: 0 };
    this.#startedAt = now;
  }
}
