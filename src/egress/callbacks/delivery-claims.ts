import { randomUUID } from "node:crypto";
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import type { CallbackClaim, CallbackStore } from "../../store/callback-store.ts";
import type { ClaimedDelivery } from "./callback-queue.ts";
import { callbackPausesMsMax } from "./callback-schedule.ts";

/** Dependencies of {@link DeliveryClaims}. */
export interface ClaimDependencies {
  readonly store: Pick<
    CallbackStore,
    "claimDeliveries" | "returnDeliveries" | "extendDeliveryLeases" | "boundDeliveryTimes"
  >;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Prefix of the leases, which identifies the node; none by default. */
  readonly holder?: string;
  /** First pause of the schedule. */
  readonly firstPauseMs: number;
  readonly task: Pick<BackgroundTask, "failed">;
}

const leaseMs = 5 * 60_000;
/** Leases are extended when less than this is left; a request takes at most 15 s. */
const leaseMsMin = 2 * 60_000;
/** Backward steps of the wall clock up to this size delay deliveries by no more than it. */
const clockStepMsMin = 1000;

/** Claims of the worker and their leases, from the claim until the outcome is recorded. */
export class DeliveryClaims {
  readonly #dependencies: ClaimDependencies;
  readonly #claimed = new Set<ClaimedDelivery>();
  /** Wall clock minus monotonic clock when due times were last bounded; infinite before the first time. */
  #clockOffsetMs = Infinity;

  constructor(dependencies: ClaimDependencies) {
    this.#dependencies = dependencies;
  }

  /** Claims due deliveries of these queues. */
  async claim(queues: CallbackClaim["queues"], now: number): Promise<readonly ClaimedDelivery[]> {
    const { store, holder } = this.#dependencies;
    const lease = holder === undefined ? randomUUID() : `${holder}/${randomUUID()}`;
    const leaseEndsAt = now + leaseMs;
    const found = await store.claimDeliveries({ now, leaseEndsAt, lease, queues });
    const claimed = found.map((stored): ClaimedDelivery => ({ stored, lease, leaseEndsAt }));
    for (const one of claimed) this.#claimed.add(one);
    return claimed;
  }

  /** Forgets a claim that has ended. */
  forget(claimed: ClaimedDelivery): void {
    this.#claimed.delete(claimed);
  }

  /** Returns claims to the store without an attempt; when that fails, the leases end by themselves. */
  async return(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    for (const one of deliveries) this.#claimed.delete(one);
    try {
      await this.#dependencies.store.returnDeliveries(leasesOf(deliveries));
    } catch (error) {
      this.#dependencies.task.failed(error);
    }
  }

  /** Returns all claims but these. */
  async returnAll(excepted: readonly ClaimedDelivery[]): Promise<void> {
    await this.return([...this.#claimed.difference(new Set(excepted))]);
  }

  /** Keeps the leases valid, and limits the due times in the store after the wall clock was set back. */
  async keep(now: number): Promise<void> {
    await this.#boundDueTimes(now);
    await this.#extendLeases(now);
  }

  /** Limits due times at start and after the wall clock was set back, so that the step does not delay deliveries. */
  async #boundDueTimes(now: number): Promise<void> {
    const { store, clock, firstPauseMs } = this.#dependencies;
    const offsetMs = now - clock.monotonicMs();
    if (offsetMs <= this.#clockOffsetMs - clockStepMsMin) {
      await store.boundDeliveryTimes({ now, pausesMsMax: callbackPausesMsMax(firstPauseMs), leaseMsMax: leaseMs });
      for (const one of this.#claimed) one.leaseEndsAt = Math.min(one.leaseEndsAt, now + leaseMs);
    }
    this.#clockOffsetMs = offsetMs;
  }

  /** Extends leases that end too soon: of deliveries that wait for long, and after the wall clock was stepped forward. */
  async #extendLeases(now: number): Promise<void> {
    const ending = [...this.#claimed].filter(({ leaseEndsAt }) => leaseEndsAt - now < leaseMsMin);
    if (ending.length === 0) return;
    await this.#dependencies.store.extendDeliveryLeases(leasesOf(ending), now + leaseMs);
    for (const one of ending) one.leaseEndsAt = now + leaseMs;
  }
}

function leasesOf(deliveries: readonly ClaimedDelivery[]): readonly { delivery: string; lease: string }[] {
  return deliveries.map(({ stored, lease }) => ({ delivery: stored.id, lease }));
}
