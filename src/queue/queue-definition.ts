/** Definition of a queue: its lanes, its limits, and the attempts of its work. */
import type { BackgroundTask } from "../core/background-tasks.ts";
import type { DueTimeBounds, Lease, LeasedQueue, WorkOutcome } from "../store/leased-queue.ts";
import type { Claimed } from "./claims.ts";
import type { Clock } from "../core/clock.ts";
import { isWorkerDeath } from "../core/worker.ts";

/** Claimed work of one key: a server, a receiver, or the whole queue. At most `countMax` pieces run at the same time. */
export class Lane<Item> {
  readonly key: string;
  /** Claimed work without a running attempt, in the order of the claims. */
  protected waiting: Claimed<Item>[] = [];
  readonly #countMax: number;
  #runningCount = 0;
  #hasMore = false;

  constructor(key: string, countMax: number) {
    this.key = key;
    this.#countMax = countMax;
  }

  /** Number of running attempts. */
  get runningCount(): number {
    return this.#runningCount;
  }

  /** Number of claimed pieces that wait. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Whether nothing waits or runs. */
  get isIdle(): boolean {
    return this.#runningCount === 0 && this.waiting.length === 0;
  }

  /** Whether the store may hold more work that is due. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Returns the number of attempts that may run now; `shareMax` is an equal share when much runs, `nowMs` is monotonic. */
  limit(_shareMax: number, _nowMs: number): number {
    return this.#countMax;
  }

  /** Returns the number of pieces to claim. */
  wantedCount(_nowMs: number): number {
    return Math.max(0, this.#countMax - this.#runningCount - this.waiting.length);
  }

  /** Adds claimed work; `hasMore` when the store may hold more that is due. */
  add(claimed: readonly Claimed<Item>[], hasMore: boolean): void {
    this.waiting.push(...claimed);
    this.#hasMore = hasMore;
  }

  /** Starts an attempt: takes the first piece that may run. Undefined when none may. */
  begin(): Claimed<Item> | undefined {
    const [first] = this.choose();
    if (first !== undefined) this.#runningCount += 1;
    return first;
  }

  /** Ends an attempt that carried this work. */
  end(_carried: readonly Claimed<Item>[]): void {
    this.#runningCount -= 1;
  }

  /** Removes and returns waiting work that will not run soon. */
  shed(nowMs: number): readonly Claimed<Item>[] {
    const unsent = this.withhold(nowMs);
    if (unsent.length > 0) this.#hasMore = true;
    return unsent;
  }

  /** Removes and returns all waiting work. */
  removeWaiting(): readonly Claimed<Item>[] {
    return this.waiting.splice(0);
  }

  /** Removes and returns the next piece that may run. */
  protected choose(): readonly Claimed<Item>[] {
    return this.waiting.splice(0, 1);
  }

  /** Removes and returns the work that {@link shed} returns; none by default. */
  protected withhold(_nowMs: number): readonly Claimed<Item>[] {
    return [];
  }
}

/** Attempt that has ended. */
interface EndedAttempt<Item, Outcome> {
  /** Work that it carried. */
  readonly carried: readonly Claimed<Item>[];
  /** Outcome of each; null for work whose outcome the attempt has recorded by itself. */
  readonly outcomes: readonly (Outcome | null)[];
}

/** Limits of a queue. */
export interface QueueLimits {
  /** Running attempts over all keys; at most `runningCountHardMax` when a key has none, if that is given. */
  readonly runningCountMax: number;
  readonly runningCountHardMax?: number;
  /** Claimed pieces that wait in memory, so that attempts need not wait for claims; none by default. */
  readonly waitingCountMax?: number;
  /** Longest sleep, since other processes may add work; 5 s by default. */
  readonly sleepMsMax?: number;
}

/** Work of a queue, and its rules. */
export interface QueueDefinition<
  Item extends { readonly id: string },
  Outcome extends Lease,
  Recorded,
  Own extends Lane<Item>,
> {
  readonly queue: LeasedQueue<Item, Outcome, Recorded>;
  /** Name of the background task, and the effect on users while it fails. */
  readonly name: string;
  readonly degrades: string;
  readonly limits: QueueLimits;
  /** Longest pauses of the backoff after 0, 1, 2, … attempts. */
  readonly pausesMsMax: DueTimeBounds["pausesMsMax"];
  /** Returns the key of fairness; all work has the same by default. */
  readonly keyOf?: (item: Item) => string;
  readonly openLane: (key: string) => Own;
  /** Runs an attempt that begins with one piece, and may take others from its lane. Must not reject. */
  readonly attempt: (
    first: Claimed<Item>,
    lane: Own,
    task: Pick<BackgroundTask, "failed">,
  ) => Promise<EndedAttempt<Item, Outcome>>;
  /** Called for each outcome, except those whose lease was lost. */
  readonly onRecorded?: (item: Item, outcome: Outcome, recorded: Recorded) => void;
}

/** Work with the number of its attempts, including this one. */
export interface CountedWork {
  readonly id: string;
  readonly attempts: number;
}

/** Rules of {@link attemptEach}. */
export interface EachRules<Item extends CountedWork> {
  readonly clock: Pick<Clock, "now">;
  /** Pauses after the first, second, … failed attempt; the work is dropped after the last. */
  readonly pausesMs: readonly number[];
  /** Called after a failed attempt; `isDropped` when it was the last. */
  readonly onFailed: (item: Item, failure: { readonly error: unknown; readonly isDropped: boolean }) => void;
}

/**
 * Returns the attempt of a queue whose work is independent: `run` does one piece and resolves when it is done, with the instant
 * at which it is due again, or with "recorded" when it has recorded the outcome. When it rejects, the work is retried.
 */
export function attemptEach<Item extends CountedWork>(
  { clock, pausesMs, onFailed }: EachRules<Item>,
  run: (item: Item, lease: string) => Promise<number | "recorded" | null>,
): (
  first: Claimed<Item>,
  lane: unknown,
  task: Pick<BackgroundTask, "failed">,
) => Promise<EndedAttempt<Item, WorkOutcome>> {
  return async (first, _lane, task) => {
    const { item, lease } = first;
    const outcomeOf = async (): Promise<WorkOutcome | null> => {
      try {
        const dueAt = await run(item, lease);
        return dueAt === "recorded" ? null : { id: item.id, lease, dueAt };
      } catch (error) {
        const isDeath = isWorkerDeath(error);
        // Soon, so that it is soon known whether it ends its worker again, and is quarantined.
        const pauseMs = pausesMs[isDeath ? 0 : item.attempts - 1];
        task.failed(error, pauseMs);
        onFailed(item, { error, isDropped: pauseMs === undefined });
        return { id: item.id, lease, dueAt: pauseMs === undefined ? null : clock.now() + pauseMs, isDeath };
      }
    };
    return { carried: [first], outcomes: [await outcomeOf()] };
  };
}
