/** Claims of a worker and their leases, from the claim until the outcome is recorded. */
import { randomUUID } from "node:crypto";
import type { BackgroundTask } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import type { DueTimeBounds, Lease, LeasedQueue, WorkClaim } from "../store/leased-queue.ts";

/** Claimed piece of work. */
export interface Claimed<Item> {
  readonly item: Item;
  readonly lease: string;
  /** Milliseconds since the Unix epoch. */
  leaseEndsAt: number;
}

/** Dependencies of {@link Claims}. */
export interface ClaimDependencies<Item extends { readonly id: string }> {
  readonly queue: Pick<
    LeasedQueue<Item, never>,
    "claim" | "returnClaims" | "extendLeases" | "boundDueTimes" | "forgiveClaims"
  >;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Id of the node, with which its leases begin; null without other nodes. */
  readonly holder: string | null;
  /** Longest pauses of the schedule after 0, 1, 2, … attempts. */
  readonly pausesMsMax: DueTimeBounds["pausesMsMax"];
  readonly task: Pick<BackgroundTask, "failed">;
}

/** Length of a lease of every queue; it costs nothing, because a start and the heartbeat release leases of dead processes. */
const leaseMs: number = 15 * 60_000;
/** Leases are extended when less than this is left. */
const leaseMsMin = 10 * 60_000;
/** Backward steps of the wall clock up to this size delay work by no more than it. */
const clockStepMsMin = 1000;

/** Claims of a worker and their leases. */
export class Claims<Item extends { readonly id: string }> {
  readonly #dependencies: ClaimDependencies<Item>;
  readonly #claimed = new Set<Claimed<Item>>();
  /** Wall clock minus monotonic clock when due times were last bounded; infinite before the first time. */
  #clockOffsetMs = Infinity;

  constructor(dependencies: ClaimDependencies<Item>) {
    this.#dependencies = dependencies;
  }

  /** Claims due work of these keys. */
  async claim(keys: WorkClaim["keys"], now: number): Promise<readonly Claimed<Item>[]> {
    const { queue, holder } = this.#dependencies;
    const lease = holder === null ? randomUUID() : `${holder}/${randomUUID()}`;
    const leaseEndsAt = now + leaseMs;
    const found = await queue.claim({ now, leaseEndsAt, lease, keys });
    const claimed = found.map((item): Claimed<Item> => ({ item, lease, leaseEndsAt }));
    for (const one of claimed) this.#claimed.add(one);
    return claimed;
  }

  /** Forgets a claim that has ended. */
  forget(claimed: Claimed<Item>): void {
    this.#claimed.delete(claimed);
  }

  /** Takes back the counts of claims whose leases were lost although this process is alive. */
  async forgive(lost: readonly string[]): Promise<void> {
    if (lost.length > 0) await this.#report(this.#dependencies.queue.forgiveClaims(lost));
  }

  /** Returns claims to the store without an attempt; when that fails, the leases end by themselves. */
  async return(claimed: readonly Claimed<Item>[]): Promise<void> {
    if (claimed.length === 0) return;
    for (const one of claimed) this.#claimed.delete(one);
    await this.#report(this.#dependencies.queue.returnClaims(leasesOf(claimed)));
  }

  /** Returns all claims but these. */
  async returnAll(excepted: readonly Claimed<Item>[]): Promise<void> {
    await this.return([...this.#claimed.difference(new Set(excepted))]);
  }

  /** Keeps the leases valid, and limits the due times in the store after the wall clock was set back. */
  async keep(now: number): Promise<void> {
    await this.#boundDueTimes(now);
    await this.#extendLeases(now);
  }

  /** Limits due times at start and after the wall clock was set back, so that the step does not delay work. */
  async #boundDueTimes(now: number): Promise<void> {
    const { queue, clock, pausesMsMax } = this.#dependencies;
    const offsetMs = now - clock.monotonicMs();
    if (offsetMs <= this.#clockOffsetMs - clockStepMsMin) {
      await queue.boundDueTimes({ now, pausesMsMax, leaseMsMax: leaseMs });
      for (const one of this.#claimed) one.leaseEndsAt = Math.min(one.leaseEndsAt, now + leaseMs);
    }
    this.#clockOffsetMs = offsetMs;
  }

  /** Extends leases that end too soon: of work that takes long, and after the wall clock was stepped forward. */
  async #extendLeases(now: number): Promise<void> {
    const ending = [...this.#claimed].filter(({ leaseEndsAt }) => leaseEndsAt - now < leaseMsMin);
    if (ending.length === 0) return;
    await this.#dependencies.queue.extendLeases(leasesOf(ending), now + leaseMs);
    for (const one of ending) one.leaseEndsAt = now + leaseMs;
  }

  async #report(call: Promise<void>): Promise<void> {
    try {
      await call;
    } catch (error) {
      this.#dependencies.task.failed(error);
    }
  }
}

function leasesOf(claimed: readonly Claimed<{ readonly id: string }>[]): readonly Lease[] {
  return claimed.map(({ item, lease }) => ({ id: item.id, lease }));
}

/** Dependencies of {@link OutcomeRecorder}. */
export interface RecorderDependencies<Item extends { readonly id: string }, Outcome extends Lease, Recorded> {
  readonly queue: Pick<LeasedQueue<Item, Outcome, Recorded>, "record">;
  readonly claims: Pick<Claims<Item>, "forget" | "forgive">;
  readonly clock: Pick<Clock, "after">;
  readonly task: Pick<BackgroundTask, "failed">;
  /** Called for each outcome, except those whose lease was lost. */
  readonly onRecorded: (item: Item, outcome: Outcome, recorded: Recorded) => void;
}

/** Outcomes of one transaction. */
const batchCountMax = 256;
const retryMs = 1000;

/**
 * Records outcomes in batches: those that arrive while a batch is committed share the next one. When the store fails, the
 * outcomes are kept and recorded later, since work whose outcome is lost would be done again.
 */
export class OutcomeRecorder<Item extends { readonly id: string }, Outcome extends Lease, Recorded> {
  readonly #dependencies: RecorderDependencies<Item, Outcome, Recorded>;
  readonly #waiting: { readonly claimed: Claimed<Item>; readonly outcome: Outcome }[] = [];
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(dependencies: RecorderDependencies<Item, Outcome, Recorded>) {
    this.#dependencies = dependencies;
  }

  /** Number of outcomes that are not recorded yet. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Work whose outcomes are not recorded yet. */
  get unrecorded(): readonly Claimed<Item>[] {
    return this.#waiting.map(({ claimed }) => claimed);
  }

  /** Ends attempts to record outcomes; those that are not recorded are lost. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Records an outcome, soon. */
  add(claimed: Claimed<Item>, outcome: Outcome): void {
    this.#waiting.push({ claimed, outcome });
    this.#running ??= this.#recordAll().finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when all outcomes are recorded. */
  async finished(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #recordAll(): Promise<void> {
    const { queue, clock, task } = this.#dependencies;
    // Outcomes of the same turn of the event loop share the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0 && !this.#isStopped) {
      const batch = this.#waiting.slice(0, batchCountMax);
      try {
        const recorded = await queue.record(batch.map(({ outcome }) => outcome));
        this.#waiting.splice(0, batch.length);
        await this.#report(batch, recorded);
      } catch (error) {
        task.failed(error, retryMs);
        await new Promise<void>((resolve) => void clock.after(retryMs, resolve));
      }
    }
  }

  async #report(
    batch: readonly { readonly claimed: Claimed<Item>; readonly outcome: Outcome }[],
    recorded: readonly (Recorded | undefined)[],
  ): Promise<void> {
    const { claims, task, onRecorded } = this.#dependencies;
    const lost: string[] = [];
    for (const [index, { claimed, outcome }] of batch.entries()) {
      const result = recorded[index];
      claims.forget(claimed);
      if (result === undefined) {
        lost.push(outcome.id);
        continue;
      }
      try {
        onRecorded(claimed.item, outcome, result);
      } catch (error) {
        // The outcome is recorded: the others of the batch are reported all the same.
        task.failed(error);
      }
    }
    await claims.forgive(lost);
  }
}
