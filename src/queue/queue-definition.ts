import type { BackgroundTask } from "../core/background-tasks.ts";
import type { DueTimeBounds, Lease, LeasedQueue } from "../store/leased-queue.ts";
import type { Claimed } from "./claims.ts";
import type { Lane } from "./lane.ts";

/** Attempt that has ended. */
export interface EndedAttempt<Item, Outcome> {
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
