/** Fair scheduling of expensive work between keys. */
import { Problem } from "./errors.ts";

/** Bounds of a {@link FairQueue}; each at least 1. */
export interface FairQueueLimits {
  /** Actions that run at the same time. */
  readonly runningCountMax: number;
  /** Actions of one key that run at the same time; `runningCountMax` by default. */
  readonly runningPerKeyCountMax?: number;
  /** Actions of one key that wait; one more is rejected with `too_many_requests`. */
  readonly waitingPerKeyCountMax: number;
  /** Actions of all keys that wait; one more is rejected with `unavailable`. */
  readonly waitingCountMax: number;
}

interface Waiting {
  readonly start: () => void;
}

interface Lane {
  readonly waiting: Set<Waiting>;
  runningCount: number;
  /** Number of holds that are not released. */
  holdCount: number;
}

/** Seconds after which a rejected caller may try again. */
const retryAfterSeconds = 1;

/**
 * Runs actions with bounded concurrency, one queue per key. The next action is that of the key with the fewest running
 * actions; among equals, of the key that was served least recently. A key with one action waits for at most one action
 * of each other key. Order within a key is first in, first out.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** Keys with waiting or running actions; the key that was served least recently comes first. */
  readonly #lanes = new Map<string, Lane>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /** Number of actions that wait. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** Number of actions that run. */
  get runningCount(): number {
    return this.#runningCount;
  }

  /**
   * Runs `action` in its turn and settles as it does. Rejects with `too_many_requests` when the key has too many waiting,
   * with `unavailable` when all keys together have; with the signal's reason when it aborts before the turn comes (an
   * action that has started must watch the signal itself).
   */
  async run<Result>(key: string, action: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    await this.#turn(key, signal);
    try {
      return await action();
    } finally {
      this.#end(key);
    }
  }

  /** Starts no action of the key until the returned function is called; those of other keys go on. */
  hold(key: string): () => void {
    const lane = this.#laneOf(key);
    lane.holdCount += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      lane.holdCount -= 1;
      this.#forgetIdle(key, lane);
      while (this.#startNext());
    };
  }

  #laneOf(key: string): Lane {
    const lane = this.#lanes.get(key) ?? { waiting: new Set(), runningCount: 0, holdCount: 0 };
    this.#lanes.set(key, lane);
    return lane;
  }

  async #turn(key: string, signal: AbortSignal | undefined): Promise<void> {
    const lane = this.#laneOf(key);
    if (lane.waiting.size === 0 && this.#mayRun(lane)) {
      this.#begin(key, lane);
      return;
    }
    this.#refuseExcess(lane);
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        if (!lane.waiting.delete(waiting)) return;
        this.#waitingCount -= 1;
        this.#forgetIdle(key, lane);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller chose the reason
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      lane.waiting.add(waiting);
      this.#waitingCount += 1;
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #refuseExcess(lane: Lane): void {
    if (lane.waiting.size >= this.#limits.waitingPerKeyCountMax) {
      const text = "Too many requests of this key are waiting; retry later";
      throw new Problem("too_many_requests", { text, retryAfterSeconds });
    }
    if (this.#waitingCount >= this.#limits.waitingCountMax) throw new Problem("unavailable", { retryAfterSeconds });
  }

  #mayRun(lane: Lane): boolean {
    const { runningCountMax, runningPerKeyCountMax = runningCountMax } = this.#limits;
    return lane.holdCount === 0 && this.#runningCount < runningCountMax && lane.runningCount < runningPerKeyCountMax;
  }

  #begin(key: string, lane: Lane): void {
    lane.runningCount += 1;
    this.#runningCount += 1;
    this.#moveLast(key, lane);
  }

  #moveLast(key: string, lane: Lane): void {
    this.#lanes.delete(key);
    this.#lanes.set(key, lane);
  }

  #end(key: string): void {
    const lane = this.#lanes.get(key);
    this.#runningCount -= 1;
    if (lane !== undefined) {
      lane.runningCount -= 1;
      // Also keys that began to wait while this action ran are served first.
      this.#moveLast(key, lane);
      this.#forgetIdle(key, lane);
    }
    this.#startNext();
  }

  /** Starts the next action; returns whether there was one. */
  #startNext(): boolean {
    let chosen: { readonly key: string; readonly lane: Lane } | undefined;
    for (const [key, lane] of this.#lanes) {
      if (lane.waiting.size === 0 || !this.#mayRun(lane)) continue;
      if (chosen === undefined || lane.runningCount < chosen.lane.runningCount) chosen = { key, lane };
      if (lane.runningCount === 0) break;
    }
    const [next] = chosen?.lane.waiting ?? [];
    if (chosen === undefined || next === undefined) return false;
    chosen.lane.waiting.delete(next);
    this.#waitingCount -= 1;
    this.#begin(chosen.key, chosen.lane);
    next.start();
    return true;
  }

  #forgetIdle(key: string, lane: Lane): void {
    if (lane.runningCount === 0 && lane.waiting.size === 0 && lane.holdCount === 0) this.#lanes.delete(key);
  }
}
