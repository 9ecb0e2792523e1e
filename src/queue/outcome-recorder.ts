import type { BackgroundTask } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import type { Lease, LeasedQueue } from "../store/leased-queue.ts";
import type { Claimed, Claims } from "./claims.ts";

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
