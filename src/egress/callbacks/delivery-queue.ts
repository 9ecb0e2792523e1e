/** Queue of deliveries of callbacks: fair between receivers, with bounded memory and sockets. */
import type { CallbackOutcome, CallbackStore, StoredDelivery, RecordedOutcome } from "../../store/callback-store.ts";
import { type QueueDefinition, Lane } from "../../queue/queue-definition.ts";
import { attemptCallback, type AttemptDependencies } from "./attempt-callback.ts";
import { callbackPausesMsMax } from "./callback-schedule.ts";
import type { MessageId } from "../../core/ids.ts";
import type { Claimed } from "../../queue/claims.ts";

/** Recorded outcome of an attempt, for metrics, log and events. */
export interface CallbackReport extends RecordedOutcome {
  readonly delivery: StoredDelivery;
  readonly outcome: CallbackOutcome;
}

/** Sender of requests. */
export type CallbackSender = Omit<AttemptDependencies, "clock" | "firstPauseMs" | "random" | "onError">;

/** Options of {@link deliveryQueue}. */
interface DeliveryQueueOptions extends Pick<AttemptDependencies, "clock" | "firstPauseMs" | "random"> {
  readonly queue: CallbackStore["queue"];
  /** Loads the sender, with the first delivery. */
  readonly openSender: () => Promise<CallbackSender>;
  readonly onRecorded: (report: CallbackReport) => void;
}

/** Above the first number of running requests a receiver gets one only when it has none. Claimed deliveries have at most 64 kB. */
const limits = { runningCountMax: 512, runningCountHardMax: 1024, waitingCountMax: 1024 } as const;

/** Returns the definition of the queue. */
export function deliveryQueue({
  queue,
  openSender,
  onRecorded,
  ...rules
}: DeliveryQueueOptions): QueueDefinition<StoredDelivery, CallbackOutcome, RecordedOutcome, CallbackQueue> {
  return {
    queue,
    name: "callback_deliveries",
    degrades: "webhooks and status callbacks are delivered late",
    limits,
    pausesMsMax: callbackPausesMsMax(rules.firstPauseMs),
    keyOf: (delivery) => delivery.queue,
    openLane: (name) => new CallbackQueue(name),
    attempt: async (first, lane, task) => {
      const onError = (error: unknown): void => {
        task.failed(error);
      };
      const result = await attemptCallback(
        { ...(await openSender()), ...rules, onError },
        {
          first,
          extend: (countMax) => lane.extend(first, countMax),
          putBack: (deliveries) => {
            lane.putBack(deliveries);
          },
        },
      );
      const { receiver, retryAfterMs } = result;
      lane.adapt(receiver, { nowMs: rules.clock.monotonicMs(), retryAfterMs });
      return result;
    },
    onRecorded: (delivery, outcome, recorded) => {
      onRecorded({ delivery, outcome, ...recorded });
    },
  };
}

/** Claimed delivery. */
export type ClaimedDelivery = Claimed<StoredDelivery>;

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
 * each failure. First attempts about one message wait for each other.
 */
class CallbackQueue extends Lane<StoredDelivery> {
  /** Running first attempts by message. */
  readonly #runningMessages = new Map<MessageId, number>();
  #limit = initialCountMax;
  #batchCountMax = 1;
  #isFailing = false;
  #hasSucceeded = false;
  #heldUntilMs = -Infinity;

  constructor(name: string) {
    super(name, runningCountMax);
  }

  override limit(shareMax: number, nowMs: number): number {
    return nowMs < this.#heldUntilMs ? 0 : Math.max(1, Math.min(this.#limit, shareMax));
  }

  /** Returns the number of deliveries to claim, so that requests need not wait for claims. */
  override wantedCount(nowMs: number): number {
    if (nowMs < this.#heldUntilMs) return 0;
    if (this.#isFailing || !this.#hasSucceeded) {
      const ahead = this.#isFailing ? this.#limit : 2 * this.#limit;
      return Math.max(0, ahead - this.waitingCount - this.runningCount);
    }
    const full = Math.min(this.#limit * claimedPerRequest * this.#batchCountMax, waitingCountMax);
    // Small claims cost as much as large ones.
    return this.waitingCount * 2 > full ? 0 : full - this.waitingCount;
  }

  override choose(): readonly ClaimedDelivery[] {
    const skipped = new Set<MessageId>();
    const index = this.waiting.findIndex(({ item }) => {
      const message = orderedMessage(item);
      if (message === null || !(this.#runningMessages.has(message) || skipped.has(message))) return true;
      skipped.add(message);
      return false;
    });
    const chosen = index < 0 ? [] : this.waiting.splice(index, 1);
    for (const one of chosen) this.#count(one, 1);
    return chosen;
  }

  /** Takes further deliveries of the same target for a request that began with `first`, at most `countMax` with it. */
  extend(first: ClaimedDelivery, countMax: number): readonly ClaimedDelivery[] {
    this.#batchCountMax = countMax;
    if (countMax <= 1) return [first];
    const before = new Set(this.#runningMessages.keys());
    before.delete(orderedMessage(first.item) ?? ("" as MessageId));
    const { target } = first.item;
    const mayJoin = ({ item }: ClaimedDelivery): boolean => {
      const message = orderedMessage(item);
      return item.target === target && (message === null || !before.has(message));
    };
    const joining = new Set(this.waiting.filter(mayJoin).slice(0, countMax - 1));
    for (const one of joining) this.#count(one, 1);
    this.waiting = this.waiting.filter((one) => !joining.has(one));
    return [first, ...joining];
  }

  /** Puts deliveries back that a request does not carry. */
  putBack(deliveries: readonly ClaimedDelivery[]): void {
    for (const one of deliveries) this.#count(one, -1);
    this.waiting.unshift(...deliveries);
  }

  override end(deliveries: readonly ClaimedDelivery[]): void {
    super.end(deliveries);
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

  /** A failing or paused queue will not send its waiting deliveries soon. */
  override withhold(nowMs: number): readonly ClaimedDelivery[] {
    if (nowMs < this.#heldUntilMs) return this.removeWaiting();
    return this.#isFailing ? this.waiting.splice(this.#limit) : [];
  }

  #count({ item }: ClaimedDelivery, change: 1 | -1): void {
    const message = orderedMessage(item);
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
