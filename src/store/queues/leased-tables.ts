/** Tables of the queues, the rule of `core/quarantine.ts` as fragments of SQL, and statements that add work on messages. */
import { quarantineReason, type DueWork, type LeasedQueueName, deathCountMax } from "../../core/quarantine.ts";
import type { WorkClaim } from "../leased-queue.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { type Query, rowsOf } from "../sql/query.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { NewScan } from "../scanner-store.ts";

/**
 * Table of a queue. `due_at` is the next attempt or the end of a lease, null for work that is finished or quarantined;
 * `claimed_due_at` its value before the last claim.
 */
export interface LeasedTable {
  readonly table: string;
  /** Column of the id, and its type in PostgreSQL. */
  readonly id: string;
  readonly idType: "text" | "uuid";
  /** Column of the number of attempts. */
  readonly attempts: string;
  /** Column of the position in the backoff, where it is not that of the attempts. */
  readonly step?: string;
  /** Column of the key of fairness; absent where work has none. */
  readonly key?: string;
  /** Column by which work that became due at the same instant is ordered. */
  readonly order: string;
  /** Returns the condition of keys whose work may be claimed. */
  readonly mayClaim?: (key: string) => string;
  /** Whether only one node at a time may hold leases of a key, so that work keeps its order. */
  readonly isOrdered?: boolean;
  /** Column of the message that work is about; null without one. */
  readonly message: string;
  /** Column of another table with rows of the work, which are removed with it. */
  readonly parts?: { readonly table: string; readonly column: string };
  /** Further assignments when work is due again after an attempt, when it is quarantined, and when it is released by hand. */
  readonly postpones?: string;
  readonly quarantines?: string;
  readonly releases?: string;
}

/** Due work, before it is claimed. */
export interface DueRow extends DueWork {
  readonly id: string;
}

/** Differences between the databases in the statements about queues. */
export interface QueueDialect extends SqlDialect {
  /** Returns due work of the keys of a claim that may be taken, in their order, and locks it. */
  readonly due: (table: LeasedTable, claim: WorkClaim) => Query<readonly DueRow[]>;
}

/** Returns the condition of receivers whose deliveries may be sent: targets that are active, and URLs. */
export function isActiveTarget(queue: string): string {
  return `not exists (select 1 from callback_target t where t.id = ${queue} and t.state <> 'active')
   and not exists (select 1 from callback_purge p where p.target = ${queue})`;
}

/** Tables of all queues. */
export const leasedTables: Readonly<Record<LeasedQueueName, LeasedTable>> = {
  outbox: {
    table: "outbox",
    id: "entry",
    idType: "text",
    attempts: "attempts",
    order: "entry",
    message: "message",
    quarantines: `, status = 'Failed', last_error = '${quarantineReason}'`,
    releases: ", status = 'Queued', last_error = null",
  },
  deliveries: {
    table: "callback_delivery",
    id: "id",
    idType: "text",
    attempts: "attempt_count",
    step: "schedule_step",
    key: "queue",
    order: "number",
    mayClaim: isActiveTarget,
    isOrdered: true,
    message: "message",
    quarantines: ", status = 'Quarantined'",
    releases: ", status = 'Pending', schedule_step = 0",
  },
  scans: {
    table: "scan",
    id: "message",
    idType: "uuid",
    attempts: "attempts",
    key: "server",
    order: "message",
    message: "message",
  },
  scheduled: {
    table: "scheduled_email",
    id: "id",
    idType: "uuid",
    attempts: "attempts",
    order: "id",
    message: "null",
    parts: { table: "scheduled_chunk", column: "email" },
    postpones: ", messages = null",
  },
  reparses: {
    table: "reread",
    id: "message",
    idType: "uuid",
    attempts: "attempts",
    order: "message",
    message: "message",
  },
};

/** Fragments that every statement about claims uses. */
export const claims: Readonly<Record<"mayTake" | "taken" | "ended" | "returned" | "isDead", string>> = {
  /** Condition of rows that may be claimed. */
  mayTake: `open_claims < ${String(deathCountMax)}`,
  /** Assignment of a claim. */
  taken: "open_claims = open_claims + 1, claimed_due_at = due_at",
  /** Assignment of an outcome, or of a decision by hand, which also ends a quarantine. */
  ended: "open_claims = 0, quarantined_at = null",
  /** Assignment of a claim that is taken back. */
  returned: "open_claims = case when open_claims > 0 then open_claims - 1 else 0 end",
  /** Condition of rows that have died too often, in the words of the partial index of each table. */
  isDead: `open_claims >= ${String(deathCountMax)}`,
};

/**
 * Returns the range of the leases of the same node, from `first` to before `end` in the order of code points; null for a
 * lease without a node, which is that of a single process.
 */
export function leasesOfNode(lease: string): { readonly first: string; readonly end: string } | null {
  const node = lease.slice(0, Math.max(0, lease.indexOf("/")));
  // "0" follows the slash.
  return lease.includes("/") ? { first: `${node}/`, end: `${node}0` } : null;
}

/**
 * Returns the condition that another node holds leases of a key: before and after those of the own node, which the parameters
 * `first` and `end` bound. The sums keep planners from the index of instants.
 */
export function isLeasedByOthers(
  { table, key = "" }: LeasedTable,
  { value, first, end, now }: Readonly<Record<"value" | "first" | "end" | "now", string>>,
): string {
  const leased = (range: string): string =>
    `exists (select 1 from ${table} o where o.${key} = ${value} and o.lease ${range} and o.due_at + 0 > ${now})`;
  return `(${leased(`< ${first}`)} or ${leased(`>= ${end}`)})`;
}

/** Adds scans of messages; those that exist stay. */
export function* addScans(scans: readonly NewScan[]): Query<void> {
  const sql =
    "insert into scan (message, server, due_at, attempts) values ($1, $2, $3, 0) on conflict (message) do nothing";
  for (const { message, dueAt } of scans) yield* rowsOf(sql, [message, decodeMessageId(message).server, dueAt]);
}

/** Removes the queued scans of a server. */
export function* removeScans(server: ServerId): Query<void> {
  yield* rowsOf("delete from scan where server = $1", [server]);
}

/** Adds emails to parse again; those that exist stay. */
export function* addReparses(messages: readonly MessageId[], dueAt: number): Query<void> {
  const sql = "insert into reread (message, attempts, due_at) values ($1, 0, $2) on conflict (message) do nothing";
  for (const message of messages) yield* rowsOf(sql, [message, dueAt]);
}

/** Removes an email from those to parse again. */
export function* removeReparse(message: MessageId): Query<void> {
  yield* rowsOf("delete from reread where message = $1", [message]);
}
