/** Tables of the queues whose work is leased, and the rule of `core/quarantine.ts` as fragments of SQL that both stores use. */
import { deathCountMax } from "../core/quarantine-limits.ts";
import { quarantineReason, type LeasedQueue } from "../core/quarantine.ts";

/** Table of a queue. `due_at` is the next attempt or the end of a lease; null for work that is finished or quarantined. */
export interface LeasedTable {
  readonly table: string;
  /** Columns that hold the id and the number of attempts. */
  readonly id: string;
  readonly attempts: string;
  /** Further assignments when a row is quarantined, and when it is released. */
  readonly quarantines?: string;
  readonly releases?: string;
}

/** Tables of all queues. */
export const leasedTables: Readonly<Record<LeasedQueue, LeasedTable>> = {
  outbox: {
    table: "outbox",
    id: "entry",
    attempts: "attempts",
    quarantines: `, status = 'Failed', last_error = '${quarantineReason}'`,
    releases: ", status = 'Queued', last_error = null",
  },
  deliveries: {
    table: "callback_delivery",
    id: "id",
    attempts: "attempt_count",
    quarantines: ", status = 'Quarantined'",
    releases: ", status = 'Pending', schedule_step = 0",
  },
  scans: { table: "scan", id: "message", attempts: "attempts" },
  scheduled: { table: "scheduled_email", id: "id", attempts: "attempts" },
  reparses: { table: "reread", id: "message", attempts: "attempts" },
};

/** Fragments that every statement about claims uses. */
export const claims: Readonly<Record<"mayTake" | "taken" | "ended" | "returned" | "isDead", string>> = {
  /** Condition of rows that may be claimed. */
  mayTake: `open_claims < ${String(deathCountMax)}`,
  /** Assignment of a claim. */
  taken: "open_claims = open_claims + 1",
  /** Assignment of an outcome, or of a decision by hand, which also ends a quarantine. */
  ended: "open_claims = 0, quarantined_at = null",
  /** Assignment of a claim that is taken back. */
  returned: "open_claims = case when open_claims > 0 then open_claims - 1 else 0 end",
  /** Condition of rows that have died too often, in the words of the partial index of each table. */
  isDead: `open_claims >= ${String(deathCountMax)}`,
};
