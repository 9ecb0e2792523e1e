import type { DueTimeBounds, Lease, LeasedQueue, PendingWork, WorkClaim, WorkOutcome } from "../store/leased-queue.ts";

/** Work in memory. */
export interface MemoryRow<Item, Outcome> {
  readonly item: Item;
  readonly dueAt: number | null;
  readonly lease: string | null;
  readonly outcomes: readonly Outcome[];
}

/** Keys and counts of work. */
export interface MemoryRules<Item> {
  readonly keyOf: (item: Item) => string;
  readonly attemptsOf: (item: Item) => number;
  /** Returns the work with its attempts changed by 1 or -1. */
  readonly count: (item: Item, change: 1 | -1) => Item;
}

/** Queue in memory, for tests of workers. */
export class MemoryQueue<Item extends { readonly id: string }, Outcome extends WorkOutcome> implements LeasedQueue<
  Item,
  Outcome,
  { readonly sequence: null }
> {
  readonly rows: Map<string, MemoryRow<Item, Outcome>> = new Map();
  /** Claims in order, and ids whose claims were forgiven. */
  readonly claims: WorkClaim[] = [];
  readonly forgiven: string[] = [];
  /** Errors of the next checks, and of the next calls that record; null for none. */
  checkError: Error | null = null;
  recordError: Error | null = null;
  readonly #rules: MemoryRules<Item>;

  constructor(rules: MemoryRules<Item>) {
    this.#rules = rules;
  }

  add(item: Item, dueAt: number): void {
    this.rows.set(item.id, { item, dueAt, lease: null, outcomes: [] });
  }

  #due(now: number): MemoryRow<Item, Outcome>[] {
    return [...this.rows.values()]
      .filter(({ dueAt }) => dueAt !== null && dueAt <= now)
      .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0));
  }

  #change({ id, lease }: Lease, change: (row: MemoryRow<Item, Outcome>) => MemoryRow<Item, Outcome>): boolean {
    const row = this.rows.get(id);
    if (row === undefined || row.lease !== lease) return false;
    this.rows.set(id, change(row));
    return true;
  }

  async listDueKeys(now: number, limit: number): Promise<readonly string[]> {
    if (this.checkError !== null) throw this.checkError;
    return [...new Set(this.#due(now).map(({ item }) => this.#rules.keyOf(item)))].slice(0, limit);
  }

  async claim(claim: WorkClaim): Promise<readonly Item[]> {
    this.claims.push(claim);
    const due = this.#due(claim.now);
    const chosen = claim.keys.flatMap(({ key, limit }) =>
      due.filter(({ item }) => this.#rules.keyOf(item) === key).slice(0, limit),
    );
    return chosen.map((row) => {
      const item = this.#rules.count(row.item, 1);
      this.rows.set(item.id, { ...row, item, lease: claim.lease, dueAt: claim.leaseEndsAt });
      return item;
    });
  }

  async extendLeases(leases: readonly Lease[], leaseEndsAt: number): Promise<void> {
    for (const one of leases) this.#change(one, (row) => ({ ...row, dueAt: leaseEndsAt }));
  }

  async returnClaims(leases: readonly Lease[]): Promise<void> {
    for (const one of leases) {
      this.#change(one, (row) => ({ ...row, item: this.#rules.count(row.item, -1), lease: null, dueAt: 0 }));
    }
  }

  async record(outcomes: readonly Outcome[]): Promise<readonly ({ readonly sequence: null } | undefined)[]> {
    if (this.recordError !== null) throw this.recordError;
    return outcomes.map((outcome) => {
      const { dueAt } = outcome;
      const isHeld = this.#change(outcome, (row) => ({
        ...row,
        dueAt,
        lease: null,
        outcomes: [...row.outcomes, outcome],
      }));
      return isHeld ? { sequence: null } : undefined;
    });
  }

  async boundDueTimes({ now, pausesMsMax, leaseMsMax }: DueTimeBounds): Promise<number> {
    for (const [id, row] of this.rows) {
      const step = Math.min(this.#rules.attemptsOf(row.item), pausesMsMax.length - 1);
      const boundMs = row.lease === null ? (pausesMsMax[step] ?? Infinity) : leaseMsMax;
      if (row.dueAt !== null) this.rows.set(id, { ...row, dueAt: Math.min(row.dueAt, now + boundMs) });
    }
    return 0;
  }

  async nextDueAt(): Promise<number | null> {
    const times = [...this.rows.values()].flatMap(({ dueAt }) => dueAt ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  async countPending(): Promise<PendingWork> {
    const count = [...this.rows.values()].filter(({ dueAt }) => dueAt !== null).length;
    return { count, oldestDueAt: await this.nextDueAt() };
  }

  async releaseLeases(): Promise<void> {
    // The owner of the queue starts with it.
  }

  async forgiveClaims(ids: readonly string[]): Promise<void> {
    this.forgiven.push(...ids);
  }
}
