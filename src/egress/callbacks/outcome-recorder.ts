import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import type { CallbackOutcome, CallbackStore, StoredDelivery } from "../../store/callback-store.ts";
import type { QuarantineStore } from "../../store/quarantine-store.ts";
import type { ClaimedDelivery } from "./callback-queue.ts";

/** Recorded outcome of an attempt, for metrics, log and events. */
export interface CallbackReport {
  readonly delivery: StoredDelivery;
  readonly outcome: CallbackOutcome;
  /** Sequence number of the server's change `failed`; null without one. */
  readonly sequence: number | null;
  /** Reason for which the target was disabled since it has failed for days; absent otherwise. */
  readonly disabled?: string;
}

/** Dependencies of {@link OutcomeRecorder}. */
export interface RecorderDependencies {
  readonly store: Pick<CallbackStore, "recordAttempts">;
  /** Takes back the counts of claims whose leases were lost. */
  readonly quarantine: Pick<QuarantineStore, "forgiveClaims">;
  readonly clock: Pick<Clock, "after">;
  readonly task: Pick<BackgroundTask, "failed">;
  /** Called for each outcome, except those whose lease was lost. */
  readonly onRecorded: (report: CallbackReport) => void;
  /** Called for each delivery whose outcome was recorded, or whose lease was lost. */
  readonly onSettled: (claimed: ClaimedDelivery) => void;
}

interface Waiting {
  readonly claimed: ClaimedDelivery;
  readonly outcome: CallbackOutcome;
}

/** Outcomes of one transaction. */
const batchCountMax = 256;
const retryMs = 1000;

/**
 * Records outcomes in batches: those that arrive while a batch is committed share the next one. When the store fails, the
 * outcomes are kept and recorded later, since deliveries whose outcome is lost would be sent again.
 */
export class OutcomeRecorder {
  readonly #dependencies: RecorderDependencies;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(dependencies: RecorderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of outcomes that are not recorded yet. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Deliveries whose outcomes are not recorded yet. */
  get unrecorded(): readonly ClaimedDelivery[] {
    return this.#waiting.map(({ claimed }) => claimed);
  }

  /** Ends attempts to record outcomes; those that are not recorded are lost. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Records an outcome, soon. */
  add(claimed: ClaimedDelivery, outcome: CallbackOutcome): void {
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
    // Outcomes of the same turn of the event loop share the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0 && !this.#isStopped) {
      const batch = this.#waiting.slice(0, batchCountMax);
      try {
        const recorded = await this.#dependencies.store.recordAttempts(batch.map(({ outcome }) => outcome));
        this.#waiting.splice(0, batch.length);
        await this.#report(batch, recorded);
      } catch (error) {
        this.#dependencies.task.failed(error, retryMs);
        await new Promise<void>((resolve) => void this.#dependencies.clock.after(retryMs, resolve));
      }
    }
  }

  async #report(
    batch: readonly Waiting[],
    recorded: Awaited<ReturnType<CallbackStore["recordAttempts"]>>,
  ): Promise<void> {
    const lost: string[] = [];
    for (const [index, { claimed, outcome }] of batch.entries()) {
      const result = recorded[index];
      this.#dependencies.onSettled(claimed);
      if (result === undefined) {
        lost.push(outcome.delivery);
        continue;
      }
      try {
        this.#dependencies.onRecorded({ delivery: claimed.stored, outcome, ...result });
      } catch (error) {
        // The outcome is recorded: the others of the batch are reported all the same.
        this.#dependencies.task.failed(error);
      }
    }
    if (lost.length > 0) await this.#forgive(lost);
  }

  async #forgive(lost: readonly string[]): Promise<void> {
    try {
      await this.#dependencies.quarantine.forgiveClaims("deliveries", lost);
    } catch (error) {
      this.#dependencies.task.failed(error);
    }
  }
}
