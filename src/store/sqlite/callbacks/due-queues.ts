/** Queries for queues of deliveries by the instant at which they are due. */
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Pending deliveries that are read in the order of time before all queues are visited instead. */
const defaultCountMax = 2000;

/** Walks the queues of pending deliveries by the index, without reading the deliveries of each. */
const queues = `
  with recursive queued (queue) as (
    select * from (select queue from callback_delivery where due_at is not null order by queue limit 1)
    union all
    select (select d.queue from callback_delivery d where d.due_at is not null and d.queue > queued.queue
            order by d.queue limit 1)
    from queued where queued.queue is not null),
  first (queue, due_at) as (
    select queue, (select d.due_at from callback_delivery d where d.queue = queued.queue and d.due_at is not null
                   order by d.due_at limit 1)
    from queued where queue is not null)`;

/** Returns the condition of queues whose deliveries may be sent; `queue` is their column. */
export function isActive(queue: string): string {
  return `not exists (select 1 from callback_target t where t.id = ${queue} and t.state <> 'active')
   and not exists (select 1 from callback_purge p where p.target = ${queue})`;
}

interface PendingRow {
  readonly queue: string;
  readonly dueAt: number;
}

/**
 * Queries for due queues. Receivers that are down are many, and their deliveries are due later: the first deliveries in the
 * order of time decide without a visit to each queue, unless a large backlog comes first.
 */
export class DueQueueReads {
  readonly #countMax: number;
  readonly #first: StatementSync;
  readonly #isActive: StatementSync;
  readonly #dueQueues: StatementSync;
  readonly #next: StatementSync;
  readonly #any: StatementSync;

  /** `countMax`: deliveries that are read in the order of time before all queues are visited instead. */
  constructor(database: DatabaseSync, countMax: number = defaultCountMax) {
    this.#countMax = countMax;
    this.#first = database.prepare(
      `select queue, due_at as dueAt from callback_delivery where due_at is not null and due_at <= ?
       order by due_at, queue limit ${countMax}`,
    );
    this.#isActive = database.prepare(`select 1 from (select ? as queue) q where ${isActive("q.queue")}`);
    this.#dueQueues = database.prepare(
      `${queues} select queue from first where due_at <= ? and ${isActive("first.queue")} order by due_at, queue limit ? + 0`,
    );
    this.#any = database.prepare("select 1 from callback_delivery where due_at is not null limit 1");
    this.#next = database.prepare(`${queues} select min(due_at) as dueAt from first where ${isActive("first.queue")}`);
  }

  /** Returns whether no delivery is due now or later; takes one step in an index. */
  isEmpty(): boolean {
    return this.#any.get() === undefined;
  }

  /** Implements `listDueQueues` of the contract. */
  list(now: number, limit: number): readonly string[] {
    const { active, isComplete } = this.#firstActive(now, limit);
    if (isComplete) return active.map(({ queue }) => queue);
    return this.#dueQueues.all(now, limit).map(({ queue }) => queue as string);
  }

  /** Implements `nextDeliveryAt` of the contract. */
  nextDueAt(): number | null {
    const { active, isComplete } = this.#firstActive(Number.MAX_VALUE, 1);
    if (isComplete) return active[0]?.dueAt ?? null;
    return this.#next.get()?.["dueAt"] as number | null;
  }

  /**
   * Returns the first delivery of each active queue that is due at `end`, at most `limit`, in the order of time; not
   * complete when there may be more of them.
   */
  #firstActive(end: number, limit: number): { readonly active: readonly PendingRow[]; readonly isComplete: boolean } {
    const seen = new Set<string>();
    const active: PendingRow[] = [];
    let rowCount = 0;
    for (const row of this.#first.iterate(end) as Iterable<unknown> as Iterable<PendingRow>) {
      rowCount += 1;
      if (seen.has(row.queue)) continue;
      seen.add(row.queue);
      if (this.#isActive.get(row.queue) !== undefined) active.push(row);
      if (active.length >= limit) return { active, isComplete: true };
    }
    return { active, isComplete: rowCount < this.#countMax };
  }
}
