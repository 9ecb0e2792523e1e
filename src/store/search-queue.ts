/** Queue of searches that read texts. */
import { Problem } from "../core/errors.ts";
import { FairQueue } from "../core/fair-queue.ts";

/** Most waiting searches, for one caller and in all; more are rejected. */
const waitingPerCallerCountMax = 10_000;
const waitingCountMax = 50_000;

/** Search to be queued. */
export interface QueuedSearch {
  /** Callers are served round-robin. */
  readonly caller: string;
  /** Cache key: equal for searches that find the same messages. */
  readonly query: string;
  /** Aborts when the caller has disconnected. */
  readonly signal: AbortSignal | undefined;
}

interface WaitingSearch<Answer> {
  readonly abort: AbortController;
  readonly answer: Promise<Answer>;
  callerCount: number;
}

/**
 * Runs a few searches at a time. A caller that repeats a search which still waits shares its result, so that polls do not
 * pile up; a running search is not shared, because it may miss messages stored since it started.
 */
export class SearchQueue<Answer> {
  readonly #queue: FairQueue;
  readonly #waiting = new Map<string, WaitingSearch<Answer>>();

  constructor(limits: { readonly runningCountMax: number; readonly runningPerCallerCountMax: number }) {
    const { runningCountMax, runningPerCallerCountMax: runningPerKeyCountMax } = limits;
    const waiting = { waitingPerKeyCountMax: waitingPerCallerCountMax, waitingCountMax };
    this.#queue = new FairQueue({ runningCountMax, runningPerKeyCountMax, ...waiting });
  }

  /**
   * Runs `search` when its turn comes, with a signal that aborts once all callers that share it have disconnected. Rejects
   * with `unavailable` as soon as the caller's own signal aborts, and as {@link FairQueue.run} does when too many wait.
   */
  async run(queued: QueuedSearch, search: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { caller, query, signal } = queued;
    if (signal?.aborted === true) throw new Problem("unavailable", { cause: signal.reason });
    const key = JSON.stringify([caller, query]);
    const waiting = this.#waiting.get(key) ?? this.#enter(key, caller, search);
    waiting.callerCount += 1;
    const left = Promise.withResolvers<never>();
    const leave = (): void => {
      this.#leave(key, waiting);
      left.reject(new Problem("unavailable", { cause: signal?.reason }));
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([waiting.answer, left.promise]);
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  #enter(key: string, caller: string, search: (signal: AbortSignal) => Promise<Answer>): WaitingSearch<Answer> {
    const abort = new AbortController();
    const begin = async (): Promise<Answer> => {
      this.#forget(key, abort);
      return await search(abort.signal);
    };
    const run = async (): Promise<Answer> => {
      // The search must be in the map before the queue starts it.
      await Promise.resolve();
      try {
        return await this.#queue.run(caller, begin, abort.signal);
      } finally {
        this.#forget(key, abort);
      }
    };
    const waiting: WaitingSearch<Answer> = { abort, answer: run(), callerCount: 0 };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  #leave(key: string, waiting: WaitingSearch<Answer>): void {
    waiting.callerCount -= 1;
    if (waiting.callerCount > 0) return;
    this.#forget(key, waiting.abort);
    waiting.abort.abort();
  }

  #forget(key: string, abort: AbortController): void {
    if (this.#waiting.get(key)?.abort === abort) this.#waiting.delete(key);
  }
}
