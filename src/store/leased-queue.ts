/** Contract of the queues of leased work (outbox, deliveries, scans, scheduled messages, reparses), and of its quarantine. */
import type { MessageId } from "../core/ids.ts";
import type { LeasedQueueName } from "../core/quarantine.ts";

/** Lease on a piece of work. */
export interface Lease {
  /** Id of the work within its queue. */
  readonly id: string;
  /** Id of the claim that holds it. */
  readonly lease: string;
}

/** Request for due work. All instants are in milliseconds since the Unix epoch. */
export interface WorkClaim {
  readonly now: number;
  /** Until then no other claim gets the same work. */
  readonly leaseEndsAt: number;
  /** Id of this claim. Among several nodes it begins with the id of the node and a slash. */
  readonly lease: string;
  /** Keys of fairness with the largest number of pieces to claim from each; the key of a queue without keys is "". */
  readonly keys: readonly { readonly key: string; readonly limit: number }[];
}

/** Bounds of pauses and leases, counted from `now`. */
export interface DueTimeBounds {
  readonly now: number;
  /**
   * Longest pause after 0, 1, 2, … attempts; the last member applies to all further ones. Not empty. Null: no bound, because
   * first attempts may be planned for later.
   */
  readonly pausesMsMax: readonly (number | null)[];
  /** Longest lease. */
  readonly leaseMsMax: number;
}

/** Outcome of an attempt, after which the work is due again at `dueAt`, or done and removed when that is null. */
export interface WorkOutcome extends Lease {
  readonly dueAt: number | null;
  /** Whether the attempt ended its worker: the claim stays counted. */
  readonly isDeath?: boolean;
}

/** Work of a queue that is not done. */
export interface PendingWork {
  readonly count: number;
  /** Instant at which the first is due, or its lease ends; null without any. */
  readonly oldestDueAt: number | null;
}

/** Queue of leased work. `Recorded` is what recording an outcome returns. */
export interface LeasedQueue<
  Item extends { readonly id: string },
  Outcome extends Lease = WorkOutcome,
  Recorded = object,
> {
  /** Returns keys with due work that may be claimed, the longest due first; [""] for a queue without keys that has due work. */
  listDueKeys(now: number, limit: number): Promise<readonly string[]>;
  /**
   * Leases due work, per key in the order of `dueAt` and storage, and counts one more attempt of each. Of work that may have
   * ended a process, few pieces run at the same time (`core/quarantine.ts`).
   */
  claim(claim: WorkClaim): Promise<readonly Item[]>;
  /** Moves the end of leases; ignores leases that have ended and were taken by another claim, and work that was deleted. */
  extendLeases(leases: readonly Lease[], leaseEndsAt: number): Promise<void>;
  /**
   * Undoes claims whose attempts were not started: the work is due again as before, and the attempt is not counted. Ignores
   * leases that were lost.
   */
  returnClaims(leases: readonly Lease[]): Promise<void>;
  /** Records outcomes in one transaction and returns the results in order: undefined for a lease that was lost. */
  record(outcomes: readonly Outcome[]): Promise<readonly (Recorded | undefined)[]>;
  /**
   * Shortens pauses and leases that are longer than possible, because the wall clock was set back, to their bounds.
   * Returns the number of pieces it changed.
   */
  boundDueTimes(bounds: DueTimeBounds): Promise<number>;
  /** Returns the instant at which work is due next or the next lease ends; null without work. */
  nextDueAt(): Promise<number | null>;
  countPending(): Promise<PendingWork>;
  /** Makes all leased work due at `now`. Only for a single process at its start, when no holder of a lease is running. */
  releaseLeases(now: number): Promise<void>;
  /** Takes back one counted claim of each piece: its claimant is alive, and has lost the lease. */
  forgiveClaims(ids: readonly string[]): Promise<void>;
}

/** Work that is not claimed until it is released by hand. */
export interface QuarantinedWork {
  readonly queue: LeasedQueueName;
  /** Id within the queue: of an outbox entry, a delivery or a scheduled message, or of the message that is scanned or parsed. */
  readonly id: string;
  /** Message that it is about; null without one. */
  readonly message: MessageId | null;
  /** Attempts that were started. */
  readonly attempts: number;
  /** Milliseconds since the Unix epoch. */
  readonly quarantinedAt: number;
}

/**
 * Quarantine of the work of all leased queues. Claims count themselves in the row, where a crash of the whole process leaves
 * them; outcomes and returned claims take the count back.
 */
export interface QuarantineStore {
  /** Quarantines due work whose claims have died `deathCountMax` times, and returns it. */
  quarantineDue(now: number): Promise<readonly QuarantinedWork[]>;
  /** Returns quarantined work, queue by queue and each the oldest first, at most `quarantineListCountMax`. */
  listQuarantined(): Promise<readonly QuarantinedWork[]>;
  /** Returns the number of quarantined pieces of each queue. */
  countQuarantined(): Promise<Readonly<Record<LeasedQueueName, number>>>;
  /** Makes quarantined work due at `now` with no deaths counted; returns the number of pieces. */
  releaseQuarantined(queue: LeasedQueueName, ids: readonly string[], now: number): Promise<number>;
}
