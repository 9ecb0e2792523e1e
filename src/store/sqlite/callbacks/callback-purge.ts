import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Deliveries deleted in one step. */
const deliveryCountPerStep = 500;

/** Deletes the deliveries of removed targets, one short step at a time; the queue is a table, so that a restart resumes it. */
export class CallbackPurge {
  readonly #next: StatementSync;
  readonly #remove: StatementSync;
  readonly #finish: StatementSync;

  constructor(database: DatabaseSync) {
    this.#next = database.prepare("select target from callback_purge limit 1");
    this.#remove = database.prepare(
      `delete from callback_delivery where number in
         (select number from callback_delivery where target = ? order by number limit ? + 0)`,
    );
    this.#finish = database.prepare("delete from callback_purge where target = ?");
  }

  /** Whether there are deliveries to delete. */
  get isPending(): boolean {
    return this.#next.get() !== undefined;
  }

  /** Runs one step inside the caller's transaction; returns false when the queue is empty. */
  step(): boolean {
    const target = this.#next.get()?.["target"] as string | undefined;
    if (target === undefined) return false;
    if (this.#remove.run(target, deliveryCountPerStep).changes === 0) this.#finish.run(target);
    return true;
  }
}
