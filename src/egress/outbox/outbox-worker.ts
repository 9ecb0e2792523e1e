/** Worker that delivers due outbox entries and records the outcome. */
import { randomUUID } from "node:crypto";
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import type { DeliveryStatus } from "../../core/delivery.ts";
import type { OutboxEntry } from "../../store/outbox-store.ts";
import type { Store } from "../../store/store.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { nextAttemptAt, pausesMsMax } from "./outbox-schedule.ts";

/** Outcome of an attempt, for metrics, log and events. */
export interface AttemptReport {
  readonly entry: OutboxEntry;
  readonly status: DeliveryStatus;
  /** Null for a success. */
  readonly failure: DeliveryFailure | null;
  /** Sequence number of the server's change `failed`; null without one. */
  readonly sequence: number | null;
}

/** Options of the outbox worker. */
export interface OutboxWorkerOptions {
  readonly store: Pick<Store, "outbox" | "quarantine">;
  readonly clock: Clock;
  /** Prefix of the leases, which identifies the node; none by default. */
  readonly holder?: string;
  /** Delivers one entry; rejects with {@link DeliveryFailure}. */
  readonly deliver: (entry: OutboxEntry) => Promise<void>;
  /** First pause of {@link nextAttemptAt}. */
  readonly firstPauseMs: number;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly onAttempt: (report: AttemptReport) => void;
  /** Reporter of the worker: failures of the store and of this code. Deliveries that fail are reported to `onAttempt`. */
  readonly task: Pick<BackgroundTask, "succeeded" | "failed">;
}

/** Running worker. */
export interface OutboxWorker {
  /** Checks for due entries now. */
  readonly wake: () => void;
  /**
   * Stops starting attempts; resolves when pending attempts have ended, or after three seconds. The outcome of those that still
   * run is then ignored: their entries are attempted again when their leases are released.
   */
  close(): Promise<void>;
}

/** Parallel attempts over all entries; one at a time for each. */
const parallelCountMax = 5;
/** Exceeds the longest delivery (ten minutes), so that no entry is delivered twice at the same time. */
const leaseMs = 15 * 60_000;
/** Leases are extended when less than this is left, which happens only when the wall clock is stepped forward. */
const leaseMsMin = leaseMs - 11 * 60_000;
/** Longest sleep, since other processes may add entries. */
const sleepMsMax = 5000;
const drainMsMax = 3000;
/** Backward steps of the wall clock up to this size delay entries by no more than it. */
const clockStepMsMin = 1000;

/** Starts a worker; it sleeps while nothing is due. */
export function startOutboxWorker(options: OutboxWorkerOptions): OutboxWorker {
  const loop = new WorkerLoop(options);
  loop.wake();
  return loop;
}

/** Attempt that is running; its lease is extended when the wall clock is stepped. */
interface RunningAttempt {
  readonly entry: string;
  readonly lease: string;
  leaseEndsAt: number;
}

class WorkerLoop implements OutboxWorker {
  readonly #options: OutboxWorkerOptions;
  readonly #pending = new Map<Promise<void>, RunningAttempt>();
  #isClosed = false;
  #isAborted = false;
  #isChecking = false;
  #wasNotified = false;
  #cancelSleep: () => void = () => undefined;
  /** Wall clock minus monotonic clock when due times were last bounded; infinite before the first time. */
  #clockOffsetMs = Infinity;

  constructor(options: OutboxWorkerOptions) {
    this.#options = options;
  }

  readonly wake = (): void => {
    this.#cancelSleep();
    this.#wasNotified = true;
    if (!this.#isChecking && !this.#isClosed) void this.#checkWhileNotified();
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSleep();
    let cancelAlarm: () => void = () => undefined;
    const alarm = new Promise<void>((resolve) => {
      cancelAlarm = this.#options.clock.after(drainMsMax, resolve);
    });
    await Promise.race([Promise.all(this.#pending.keys()), alarm]);
    cancelAlarm();
    this.#isAborted = true;
    await this.#forgive([...this.#pending.values()].map(({ entry }) => entry));
  }

  /** Takes back the counts of claims whose outcome is not recorded although this process is alive. */
  async #forgive(entries: readonly string[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#options.store.quarantine.forgiveClaims("outbox", entries);
    } catch (error) {
      this.#options.task.failed(error);
    }
  }

  async #checkWhileNotified(): Promise<void> {
    this.#isChecking = true;
    while (this.#wasNotified && !this.#isClosed) {
      this.#wasNotified = false;
      try {
        await this.#check();
        this.#options.task.succeeded();
      } catch (error) {
        this.#options.task.failed(error, sleepMsMax);
        this.#sleep(null);
      }
    }
    this.#isChecking = false;
  }

  /** Claims and starts due entries, or sleeps until one is due. */
  async #check(): Promise<void> {
    const { store, clock } = this.#options;
    // One instant for the whole check: a step of the wall clock in between cannot make a running entry due.
    const now = clock.now();
    await this.#boundDueTimes(now);
    await this.#extendLeases(now);
    const limit = parallelCountMax - this.#pending.size;
    const dueAt = limit > 0 ? await store.outbox.nextDueAt() : null;
    if (dueAt === null || dueAt > now || this.#isClosed) {
      this.#sleep(dueAt);
      return;
    }
    const { holder } = this.#options;
    const lease = holder === undefined ? randomUUID() : `${holder}/${randomUUID()}`;
    const entries = await store.outbox.claimEntries({ now, leaseEndsAt: now + leaseMs, lease, limit });
    for (const entry of entries) this.#start(entry, { entry: entry.id, lease, leaseEndsAt: now + leaseMs });
    if (entries.length > 0) this.#wasNotified = true;
    else this.#sleep(null);
  }

  /** Limits due times at start and after the wall clock was set back, so that the step does not delay entries. */
  async #boundDueTimes(now: number): Promise<void> {
    const { store, clock, firstPauseMs } = this.#options;
    const offsetMs = now - clock.monotonicMs();
    if (offsetMs <= this.#clockOffsetMs - clockStepMsMin) {
      await store.outbox.boundDueTimes({ now, pausesMsMax: pausesMsMax(firstPauseMs), leaseMsMax: leaseMs });
      for (const attempt of this.#pending.values()) attempt.leaseEndsAt = Math.min(attempt.leaseEndsAt, now + leaseMs);
    }
    this.#clockOffsetMs = offsetMs;
  }

  /** Extends the leases of running attempts that end too soon, because the wall clock was stepped forward. */
  async #extendLeases(now: number): Promise<void> {
    const attempts = this.#pending.values().filter(({ leaseEndsAt }) => leaseEndsAt - now < leaseMsMin);
    const ending = [...attempts];
    if (ending.length === 0) return;
    const leaseEndsAt = now + leaseMs;
    await this.#options.store.outbox.extendLeases({ attempts: ending, leaseEndsAt });
    for (const attempt of ending) attempt.leaseEndsAt = leaseEndsAt;
  }

  #start(entry: OutboxEntry, running: RunningAttempt): void {
    const attempt = this.#attempt(entry, running.lease).finally(() => {
      this.#pending.delete(attempt);
      this.wake();
    });
    this.#pending.set(attempt, running);
  }

  async #attempt(entry: OutboxEntry, lease: string): Promise<void> {
    try {
      const failure = await this.#deliver(entry);
      if (this.#isAborted) return;
      if (!(await recordOutcome(this.#options, { entry, lease, failure }))) await this.#forgive([entry.id]);
    } catch (error) {
      this.#options.task.failed(error);
    }
  }

  async #deliver(entry: OutboxEntry): Promise<DeliveryFailure | null> {
    return this.#options.deliver(entry).then(
      () => null,
      (error: unknown) => toFailure(error),
    );
  }

  #sleep(dueAt: number | null): void {
    const { clock } = this.#options;
    this.#cancelSleep();
    const untilDueMs = Math.max(1, (dueAt ?? Infinity) - clock.now());
    if (!this.#isClosed) this.#cancelSleep = clock.after(Math.min(untilDueMs, sleepMsMax), this.wake);
  }
}

interface Outcome {
  readonly entry: OutboxEntry;
  readonly lease: string;
  /** Null for a success. */
  readonly failure: DeliveryFailure | null;
}

/** Returns false when the lease was lost, or the entry was deleted. */
async function recordOutcome(options: OutboxWorkerOptions, { entry, lease, failure }: Outcome): Promise<boolean> {
  const { store, clock, onAttempt } = options;
  const at = clock.now();
  const dueAt = failure === null ? null : retryAt(options, { entry, failure, at });
  const status = failure === null ? "Sent" : dueAt === null ? "Failed" : "Queued";
  const lastError = failure?.message ?? null;
  const recorded = await store.outbox.recordAttempt({ entry: entry.id, lease, status, dueAt, lastError, at });
  if (recorded === undefined) return false;
  onAttempt({ entry, status, failure, sequence: recorded.sequence });
  return true;
}

function retryAt(
  { firstPauseMs, random }: OutboxWorkerOptions,
  attempt: { entry: OutboxEntry; failure: DeliveryFailure; at: number },
): number | null {
  if (attempt.failure.verdict === "fail") return null;
  return nextAttemptAt({ attempts: attempt.entry.attempts, failedAt: attempt.at }, firstPauseMs, random());
}

/** Unexpected errors are independent of the mail, so they are retried. */
function toFailure(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const evidence = { stage: "unknown", replyCode: null, isLocalRefusal: false } as const;
  return new DeliveryFailure("Internal error", evidence, error);
}
