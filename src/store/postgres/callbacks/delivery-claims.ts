/** Queues of deliveries: what is due, leases, and their instants. */
import type { CallbackClaim, CallbackStore, StoredDelivery } from "../../callback-store.ts";
import { claims } from "../../leased-tables.ts";
import { takeDueWork } from "../quarantine/quarantine.ts";
import type { DueWork } from "../../../core/quarantine.ts";
import { leasesOfNode } from "../../callback-attempts.ts";
import { intArray } from "../connection/arrays.ts";
import type { Database } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";
import { deliveryColumns, toDelivery, type DeliveryRow } from "./delivery-rows.ts";

/** Walks the queues of pending deliveries by the index, without reading the deliveries of each. */
const queues = `
  with recursive queued (queue) as (
    (select queue from callback_delivery where due_at is not null order by queue limit 1)
    union all
    select (select d.queue from callback_delivery d where d.due_at is not null and d.queue > queued.queue
            order by d.queue limit 1)
    from queued where queued.queue is not null),
  first (queue, due_at) as (
    select queue, (select d.due_at from callback_delivery d where d.queue = queued.queue and d.due_at is not null
                   order by d.due_at limit 1)
    from queued where queue is not null)`;

/** Pending deliveries that are read in the order of time before all queues are visited instead. */
const defaultCountMax = 2000;

/** First number of the advisory locks of queues. */
const lockClass = 1_668_246_379;

/** Condition of queues whose deliveries may be sent. */
const isActive = (queue: string): string =>
  `not exists (select 1 from callback_target t where t.id = ${queue} and t.state <> 'active')
   and not exists (select 1 from callback_purge p where p.target = ${queue})`;

/** Serialises claims of a queue until the commit; skips a queue that another node claims now. */
const locked = `
  select q.queue, q.count from unnest($1::text[], $2::int4[]) with ordinality as q(queue, count, n)
  where pg_try_advisory_xact_lock(${lockClass}, hashtext(q.queue)) order by q.n`;

/** Leases of a queue before and after those of the own node; the sums keep the planner from the index of instants. */
const isLeasedByOthers = (queue: string): string => `(
  exists (select 1 from callback_delivery o where o.queue = ${queue} and o.lease < $4 and o.due_at + 0 > $3)
  or exists (select 1 from callback_delivery o where o.queue = ${queue} and o.lease >= $5 and o.due_at + 0 > $3))`;

const chosen = `
  with active as materialized (
    select w.* from unnest($1::text[], $2::int4[]) with ordinality as w(queue, count, n)
    where ${isActive("w.queue")} and ($4::text is null or not ${isLeasedByOthers("w.queue")}))
  select d.id, d.open_claims as "openClaims" from active cross join lateral (
    select id, due_at, number, open_claims from callback_delivery
    where queue = active.queue and due_at is not null and due_at <= $3 and ${claims.mayTake}
    order by due_at, number limit active.count for update skip locked) d
  order by active.n, d.due_at, d.number`;

/** Due deliveries of all queues, which each node claims without waiting for others. */
export class DeliveryClaims {
  readonly #database: Database;
  readonly #countMax: number;

  /** `countMax`: deliveries that are read in the order of time before all queues are visited instead. */
  constructor(database: Database, countMax: number = defaultCountMax) {
    this.#database = database;
    this.#countMax = countMax;
  }

  /** Implements `listDueQueues` of the contract. */
  async dueQueues(now: number, limit: number): Promise<readonly string[]> {
    const { queues: first, isComplete } = await this.#firstActive(now, limit);
    if (isComplete) return first.map(({ queue }) => fromText(queue));
    const rows = await this.#database.query<{ queue: string }>(
      `${queues} select queue from first where due_at <= $1 and ${isActive("first.queue")} order by due_at, queue limit $2`,
      [now, limit],
    );
    return rows.map(({ queue }) => fromText(queue));
  }

  /**
   * Returns the active queues of the first deliveries in the order of time, at most `limit`; not complete when there may be
   * more of them. Receivers that are down are many, and their deliveries are due later: most calls need no visit to each.
   */
  async #firstActive(
    end: number,
    limit: number,
  ): Promise<{
    readonly queues: readonly { readonly queue: string; readonly dueAt: number }[];
    readonly isComplete: boolean;
  }> {
    const rows = await this.#database.query<{ queue: string | null; dueAt: number; rowCount: number }>(
      `with head as materialized (
         select queue, due_at from callback_delivery where due_at is not null and due_at <= $1
         order by due_at, queue limit $3),
       first as (select queue, min(due_at) as due_at from head group by queue)
       select active.queue, active.due_at as "dueAt", counted.count as "rowCount"
       from (select count(*) as count from head) counted
       left join (select * from first where ${isActive("first.queue")} order by due_at, queue limit $2) active on true
       order by active.due_at, active.queue`,
      [end, limit, this.#countMax],
    );
    const found = rows.flatMap(({ queue, dueAt }) => (queue === null ? [] : [{ queue, dueAt }]));
    return { queues: found, isComplete: found.length >= limit || (rows[0]?.rowCount ?? 0) < this.#countMax };
  }

  /** Implements `claimDeliveries` of the contract. */
  async claim({ now, leaseEndsAt, lease, queues: wanted }: CallbackClaim): Promise<readonly StoredDelivery[]> {
    if (wanted.length === 0) return [];
    const node = leasesOfNode(lease);
    return await this.#database.transact(async (session) => {
      const own = await session.query<{ queue: string; count: number }>(locked, [
        wanted.map(({ queue }) => toText(queue)),
        intArray(wanted.map(({ limit }) => limit)),
      ]);
      if (own.length === 0) return [];
      const found = await session.query<{ id: string } & DueWork>(chosen, [
        own.map(({ queue }) => queue),
        intArray(own.map(({ count }) => count)),
        now,
        node === null ? null : toText(node.first),
        node === null ? null : toText(node.end),
      ]);
      const due = await takeDueWork(session, "deliveries", { due: found, now });
      if (due.length === 0) return [];
      const rows = await session.query<DeliveryRow>(
        `update callback_delivery
         set attempt_count = attempt_count + 1, schedule_step = schedule_step + 1, ${claims.taken},
           claimed_due_at = due_at, due_at = $2, lease = $3
         where id = any($1::text[]) returning ${deliveryColumns}`,
        [due.map(({ id }) => id), leaseEndsAt, toText(lease)],
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      return due.flatMap(({ id }) => {
        const row = byId.get(id);
        return row === undefined ? [] : [toDelivery(row)];
      });
    });
  }

  /** Implements `extendDeliveryLeases`. A locked delivery is being recorded; waiting for several could deadlock. */
  async extend(...[leases, leaseEndsAt]: Parameters<CallbackStore["extendDeliveryLeases"]>): Promise<void> {
    if (leases.length === 0) return;
    await this.#database.query(
      `update callback_delivery set due_at = $3 where id in (
         select d.id from callback_delivery d join unnest($1::text[], $2::text[]) as l(id, lease)
           on d.id = l.id and d.lease = l.lease
         where d.due_at is not null for update of d skip locked)`,
      [leases.map(({ delivery }) => toText(delivery)), leases.map(({ lease }) => toText(lease)), leaseEndsAt],
    );
  }

  /** Implements `returnDeliveries` of the contract. */
  async undo(leases: Parameters<CallbackStore["returnDeliveries"]>[0]): Promise<void> {
    if (leases.length === 0) return;
    await this.#database.query(
      `update callback_delivery d
       set due_at = claimed_due_at, lease = null, ${claims.returned}, attempt_count = attempt_count - 1,
         schedule_step = schedule_step - 1
       from unnest($1::text[], $2::text[]) as l(id, lease)
       where d.id = l.id and d.lease = l.lease and d.due_at is not null`,
      [leases.map(({ delivery }) => toText(delivery)), leases.map(({ lease }) => toText(lease))],
    );
  }

  async release(now: number): Promise<void> {
    await this.#database.query("update callback_delivery set due_at = $1, lease = null where lease is not null", [now]);
  }

  /** Implements `boundDeliveryTimes` of the contract. */
  async bound({ now, pausesMsMax, leaseMsMax }: Parameters<CallbackStore["boundDeliveryTimes"]>[0]): Promise<number> {
    const bound = `$1::float8 + case when lease is null
      then ($2::float8[])[least(schedule_step + 1, cardinality($2::float8[]))] else $3::float8 end`;
    const [bounded] = await this.#database.query<{ count: number }>(
      `with bounded as (
         update callback_delivery set due_at = ${bound}
         where due_at is not null and (lease is not null or schedule_step > 0) and due_at > ${bound} returning 1)
       select count(*) as count from bounded`,
      [now, pausesMsMax, leaseMsMax],
    );
    return bounded?.count ?? 0;
  }

  async nextDueAt(): Promise<number | null> {
    const { queues: active, isComplete } = await this.#firstActive(Number.MAX_VALUE, 1);
    if (isComplete) return active[0]?.dueAt ?? null;
    const [row] = await this.#database.query<{ due_at: number | null }>(
      `${queues} select min(due_at) as due_at from first where ${isActive("first.queue")}`,
    );
    return row?.due_at ?? null;
  }

  /** Counts all pending deliveries by reading their index. */
  async pending(): ReturnType<CallbackStore["countPending"]> {
    const [row] = await this.#database.query<{ count: number; due_at: number | null }>(
      `select coalesce(sum(count), 0)::bigint as count, min(due_at) as due_at from
         (select queue, count(*) as count, min(due_at) as due_at from callback_delivery
          where due_at is not null group by queue) pending
       where ${isActive("pending.queue")}`,
    );
    return { count: row?.count ?? 0, oldestDueAt: row?.due_at ?? null };
  }
}
