import type {
  CallbackClaim,
  CallbackOutcome,
  CallbackStatus,
  NewDelivery,
  StoredDelivery,
} from "../../store/callback-store.ts";
import type { WorkerStore } from "./callback-worker.ts";

/** Delivery in memory. */
export interface MemoryDelivery {
  readonly stored: StoredDelivery;
  readonly status: CallbackStatus;
  readonly dueAt: number | null;
  readonly lease: string | null;
  readonly outcomes: readonly CallbackOutcome[];
}

/** Store in memory with the methods that the worker calls. */
export class MemoryCallbackStore implements WorkerStore {
  readonly rows: Map<string, MemoryDelivery> = new Map();
  /** Claims in order. */
  readonly claims: CallbackClaim[] = [];
  /** Error of the next calls of `recordAttempts`; null for none. */
  recordError: Error | null = null;

  add(...deliveries: readonly NewDelivery[]): void {
    for (const one of deliveries) {
      const number = this.rows.size + 1;
      const state = { number, status: "Pending", attemptCount: 0, scheduleStep: 0, attempts: [] } as const;
      const stored: StoredDelivery = { ...one, ...state, nextAttemptAt: one.dueAt };
      this.rows.set(one.id, { stored, status: "Pending", dueAt: one.dueAt, lease: null, outcomes: [] });
    }
  }

  /** Returns the number of deliveries of a queue with this status. */
  count(queue: string, status: CallbackStatus): number {
    return [...this.rows.values()].filter((row) => row.stored.queue === queue && row.status === status).length;
  }

  #due(now: number): MemoryDelivery[] {
    return [...this.rows.values()]
      .filter(({ lease, dueAt }) => lease === null && dueAt !== null && dueAt <= now)
      .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || one.stored.number - other.stored.number);
  }

  listDueQueues(now: number, limit: number): Promise<readonly string[]> {
    return Promise.resolve([...new Set(this.#due(now).map(({ stored }) => stored.queue))].slice(0, limit));
  }

  claimDeliveries(claim: CallbackClaim): Promise<readonly StoredDelivery[]> {
    this.claims.push(claim);
    const due = this.#due(claim.now);
    const chosen = claim.queues.flatMap(({ queue, limit }) =>
      due.filter(({ stored }) => stored.queue === queue).slice(0, limit),
    );
    return Promise.resolve(chosen.map((row) => this.#lease(row, claim.lease)));
  }

  #lease(row: MemoryDelivery, lease: string): StoredDelivery {
    const { attemptCount, scheduleStep } = row.stored;
    const stored = { ...row.stored, attemptCount: attemptCount + 1, scheduleStep: scheduleStep + 1 };
    this.rows.set(stored.id, { ...row, stored, lease });
    return stored;
  }

  returnDeliveries(leases: readonly { delivery: string; lease: string }[]): Promise<void> {
    for (const { delivery, lease } of leases) {
      const row = this.rows.get(delivery);
      if (row?.lease !== lease) continue;
      const { attemptCount, scheduleStep } = row.stored;
      const stored = { ...row.stored, attemptCount: attemptCount - 1, scheduleStep: scheduleStep - 1 };
      this.rows.set(delivery, { ...row, stored, lease: null });
    }
    return Promise.resolve();
  }

  extendDeliveryLeases(): Promise<void> {
    return Promise.resolve();
  }

  recordAttempts(outcomes: readonly CallbackOutcome[]): Promise<readonly ({ sequence: null } | undefined)[]> {
    if (this.recordError !== null) return Promise.reject(this.recordError);
    return Promise.resolve(outcomes.map((outcome) => this.#record(outcome)));
  }

  #record(outcome: CallbackOutcome): { sequence: null } | undefined {
    const row = this.rows.get(outcome.delivery);
    if (row?.lease !== outcome.lease) return undefined;
    const { status, dueAt } = outcome;
    this.rows.set(outcome.delivery, { ...row, status, dueAt, lease: null, outcomes: [...row.outcomes, outcome] });
    return { sequence: null };
  }

  nextDeliveryAt(): Promise<number | null> {
    const times = [...this.rows.values()].flatMap(({ lease, dueAt }) =>
      lease === null && dueAt !== null ? [dueAt] : [],
    );
    return Promise.resolve(times.length === 0 ? null : Math.min(...times));
  }

  boundDeliveryTimes(): Promise<number> {
    return Promise.resolve(0);
  }
}
