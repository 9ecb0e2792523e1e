import type { MessageId } from "../../core/ids.ts";
import type { StoredDelivery } from "../../store/callback-store.ts";

/** Claimed delivery. */
export interface ClaimedDelivery {
  readonly stored: StoredDelivery;
  readonly lease: string;
  /** Milliseconds since the Unix epoch. */
  leaseEndsAt: number;
}

/** Effect of an attempt on the concurrency of its queue. */
export type ReceiverState =
  /** It responded with success. */
  | "healthy"
  /** It responded, but refused the request. */
  | "refusing"
  /** It did not respond, is overloaded, or failed. */
  | "failing";

/** Requests of one queue that run at the same time: at first, and at most. */
const initialCountMax = 2;
const runningCountMax = 16;
/** Deliveries that are claimed for each request that may run, once the receiver has responded with success. */
const claimedPerRequest = 8;
const waitingCountMax = 512;
/** Longest pause of a whole queue by `Retry-After`. */
const holdMsMax = 60_000;

/**
 * Claimed deliveries of one receiver, and its concurrency: one more request at a time with each success, half as many with
 * each failure.
 */
export class CallbackQueue {
  readonly name: string;
  /** Claimed deliveries without a running attempt, in the order of their claims. */
  #waiting: ClaimedDelivery[] = [];
  /** Running first attempts by message. */
  readonly #runningMessages = new Map<MessageId, number>();
  #runningCount = 0;
  #limit = initialCountMax;
  #batchCountMax = 1;
  #isFailing = false;
  #hasSucceeded = false;
  #hasMore = false;
  #heldUntilMs = -Infinity;

  constructor(name: string) {
    this.name = name;
  }

  /** Number of running requests. */
  get runningCount(): number {
    return this.#runningCount;
  }

  /** Whether the store may hold more deliveries that are due. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Number of claimed deliveries that wait. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Whether nothing waits or runs. */
  get isIdle(): boolean {
    return this.#runningCount === 0 && this.#waiting.length === 0;
  }

  /** Returns the number of requests that may run now, at most `shareMax`; `nowMs` is monotonic. */
  limit(shareMax: number, nowMs: number): number {
    return nowMs < this.#heldUntilMs ? 0 : Math.max(1, Math.min(this.#limit, shareMax));
  }

  /** Returns the number of deliveries to claim, so that requests need not wait for claims. */
  wantedCount(nowMs: number): number {
    if (nowMs < this.#heldUntilMs) return 0;
    if (this.#isFailing || !this.#hasSucceeded) {
      const ahead = this.#isFailing ? this.#limit : 2 * this.#limit;
      return Math.max(0, ahead - this.#waiting.length - this.#runningCount);
    }
    const full = Math.min(this.#limit * claimedPerRequest * this.#batchCountMax, waitingCountMax);
    // Small claims cost as much as large ones.
    return this.#waiting.length * 2 > full ? 0 : full - this.#waiting.length;
  }

  /** Adds claimed deliveries; `hasMore` when the store may hold more that are due. */
  add(claimed: readonly ClaimedDelivery[], hasMore: boolean): void {
    this.#waiting.push(...claimed);
    this.#hasMore = hasMore;
  }

  /**
   * Starts a request: takes the first delivery that may be sent. First attempts about one message wait for each other.
   * Undefined when none may be sent.
   */
  begin(): ClaimedDelivery | undefined {
    const skipped = new Set<MessageId>();
    const index = this.#waiting.findIndex(({ stored }) => {
      const message = orderedMessage(stored);
      if (message === null || !(this.#runningMessages.has(message) || skipped.has(message))) return true;
      skipped.add(message);
      return false;
    });
    const [first] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (first === undefined) return undefined;
    this.#runningCount += 1;
    this.#count(first, 1);
    return first;
  }

  /** Takes further deliveries of the same target for a request that began with `first`, at most `countMax` with it. */
  extend(first: ClaimedDelivery, countMax: number): readonly ClaimedDelivery[] {
    this.#batchCountMax = countMax;
    if (countMax <= 1) return [first];
    const before = new Set(this.#runningMessages.keys());
    before.delete(orderedMessage(first.stored) ?? ("" as MessageId));
    const { target } = first.stored;
    const mayJoin = ({ stored }: ClaimedDelivery): boolean => {
      const message = orderedMessage(stored);
      return stored.target === target && (message === null || !before.has(message));
    };
    const joining = new Set(this.#waiting.filter(mayJoin).slice(0, countMax - 1));
    for (const one of joining) this.#count(one, 1);
    this.#waiting = this.#waiting.filter((one) => !joining.has(one));
    return [first, ...joining];
  }

  /** Puts deliveries back that a request does not carry. */
  putBack(deliveries: readonly ClaimedDelivery[]): void {
    for (const one of deliveries) this.#count(one, -1);
    this.#waiting.unshift(...deliveries);
  }

  /** Ends a request of these deliveries. */
  end(deliveries: readonly ClaimedDelivery[]): void {
    this.#runningCount -= 1;
    for (const one of deliveries) this.#count(one, -1);
  }

  /** Adapts the concurrency, and pauses the queue for as long as the receiver asked, at most a minute. */
  adapt(state: ReceiverState, pause: { readonly nowMs: number; readonly retryAfterMs: number | null }): void {
    if (pause.retryAfterMs !== null) this.#heldUntilMs = pause.nowMs + Math.min(pause.retryAfterMs, holdMsMax);
    this.#isFailing = state === "failing";
    if (state === "healthy") this.#hasSucceeded = true;
    if (state === "healthy") this.#limit = Math.min(this.#limit + 1, runningCountMax);
    if (state === "failing") this.#limit = Math.max(1, Math.floor(this.#limit / 2));
  }

  /** Removes and returns the waiting deliveries that a failing or paused queue will not send soon. */
  shed(nowMs: number): readonly ClaimedDelivery[] {
    const unsent =
      nowMs < this.#heldUntilMs ? this.removeWaiting() : this.#isFailing ? this.#waiting.splice(this.#limit) : [];
    if (unsent.length > 0) this.#hasMore = true;
    return unsent;
  }

  /** Removes and returns all waiting deliveries. */
  removeWaiting(): readonly ClaimedDelivery[] {
    return this.#waiting.splice(0);
  }

  #count({ stored }: ClaimedDelivery, change: 1 | -1): void {
    const message = orderedMessage(stored);
    if (message === null) return;
    const count = (this.#runningMessages.get(message) ?? 0) + change;
    if (count === 0) this.#runningMessages.delete(message);
    else this.#runningMessages.set(message, count);
  }
}

/** Returns the message whose deliveries must keep their order: that of a first attempt. */
function orderedMessage({ message, scheduleStep }: StoredDelivery): MessageId | null {
  return scheduleStep <= 1 ? message : null;
}
