/** Turns of searches that read texts, in front of whatever reads them. */
import { Problem } from "../core/errors.ts";
import { FairQueue } from "../core/fair-queue.ts";

/** Searches of one caller, and of all callers, that wait for their turn; more are rejected. */
const waitingPerCallerCountMax = 10_000;
const waitingCountMax = 50_000;

/** Request for a turn. */
export interface SearchTurn {
  /** Callers are served round-robin. */
  readonly caller: string;
  /** Equal for searches that find the same. */
  readonly question: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal | undefined;
}

interface WaitingSearch<Answer> {
  readonly abort: AbortController;
  readonly answer: Promise<Answer>;
  callerCount: number;
}

/**
 * Runs a few searches at a time. A search that a caller repeats while the same one still waits shares its answer, so that
 * polls never pile up; one that has begun is not shared, because it may not see what was stored since.
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
   * Runs `search` in its turn, with a signal that aborts once all who share it have left. Rejects with `unavailable` as
   * soon as the turn's own signal aborts, and as {@link FairQueue.run} does when too many wait.
   */
  async run(turn: SearchTurn, search: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { signal } = turn;
    if (signal?.aborted === true) throw new Problem("unavailable", { cause: signal.reason });
    const key = JSON.stringify([turn.caller, turn.question]);
    const waiting = this.#waiting.get(key) ?? this.#enter(key, turn.caller, search);
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
      // Entered before the queue may begin at once.
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
