import type { LeasedQueueName } from "../../../core/quarantine.ts";
import type { Lease, LeasedQueue, WorkClaim, WorkOutcome } from "../../leased-queue.ts";
import type { QuarantineStore } from "../../quarantine-store.ts";
import type { DueRow, QueueDialect } from "../../queues/dialect.ts";
import { claims, isLeasedByOthers, leasedTables, leasesOfNode, type LeasedTable } from "../../queues/leased-tables.ts";
import { QuarantineRows } from "../../queues/quarantine-rows.ts";
import { createQueue, QueueRows } from "../../queues/queue-rows.ts";
import { rowsOf, run, type Query } from "../../queues/query.ts";
import { intArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";
import { dueEntries } from "../outbox/due-entries.ts";

/** First number of the advisory locks of keys. */
const lockClass = 1_668_246_379;

/** Statements about queues in PostgreSQL, which several nodes share. */
export const postgresDialect: QueueDialect = {
  name: "postgres",
  skipLocked: "for update skip locked",
  isAmong: (column, parameter, type) => `${column} = any(${parameter}::${type}[])`,
  isPair: (columns, [first, second]) =>
    `(${columns.join(", ")}) in (select * from unnest($1::${first}[], $2::${second}[]))`,
  list: (values) => values,
  memberAt: (list, index) => `(${list}::float8[])[least(${index} + 1, cardinality(${list}::float8[]))]`,
  toText,
  fromText,
  *due(table, claim) {
    if (table.key !== undefined) return yield* dueOfKeys(table, table.key, claim);
    const { now, keys } = claim;
    const limit = keys.reduce((sum, one) => sum + one.limit, 0);
    if (table === leasedTables.outbox) return yield* dueEntries(now, limit);
    return yield* rowsOf<DueRow>(
      `select ${table.id} as id, open_claims as "openClaims" from ${table.table}
       where due_at <= $1 and ${claims.mayTake} order by due_at, ${table.order} limit $2 for update skip locked`,
      [now, limit],
    );
  },
};

/** Claims of an ordered key are serialised until the commit; those that another node claims now are skipped. */
const locked = `
  select k.key, k.count from unnest($1::text[], $2::int4[]) with ordinality as k(key, count, n)
  where pg_try_advisory_xact_lock(${lockClass}, hashtext(k.key)) order by k.n`;

function* dueOfKeys(table: LeasedTable, key: string, { now, lease, keys }: WorkClaim): Query<readonly DueRow[]> {
  const node = table.isOrdered === true ? leasesOfNode(lease) : null;
  const wanted = [keys.map((one) => toText(one.key)), intArray(keys.map(({ limit }) => limit))];
  const own = table.isOrdered === true ? yield* rowsOf<{ key: string; count: number }>(locked, wanted) : null;
  if (own?.length === 0) return [];
  const chosen = own === null ? wanted : [own.map((one) => one.key), intArray(own.map(({ count }) => count))];
  const isActive = table.mayClaim?.("w.key") ?? "true";
  const others = isLeasedByOthers(table, { value: "w.key", first: "$4", end: "$5", now: "$3" });
  return yield* rowsOf<DueRow>(
    `with active as materialized (
       select w.* from unnest($1::text[], $2::int4[]) with ordinality as w(key, count, n)
       where ${isActive} and ($4::text is null or not ${others}))
     select d.id, d.open_claims as "openClaims" from active cross join lateral (
       select ${table.id} as id, due_at, ${table.order} as place, open_claims from ${table.table}
       where ${key} = active.key and due_at is not null and due_at <= $3 and ${claims.mayTake}
       order by due_at, ${table.order} limit active.count for update skip locked) d
     order by active.n, d.due_at, d.place`,
    [...chosen, now, node === null ? null : toText(node.first), node === null ? null : toText(node.end)],
  );
}

/** Columns of claimed work of a queue, and functions that read it and record outcomes, if not those of `QueueRows`. */
export interface QueueBinding<Row, Item, Outcome, Recorded> {
  readonly columns?: string;
  readonly toItem?: (row: Row) => Item;
  readonly record?: (session: Session, outcomes: readonly Outcome[]) => Promise<readonly (Recorded | undefined)[]>;
}

/** Creates a queue, whose work all nodes share. */
export function openQueue<
  Row extends { readonly id: string },
  Item extends { readonly id: string },
  Outcome extends Lease = WorkOutcome,
  Recorded = object,
>(
  database: Database,
  queue: LeasedQueueName,
  binding: QueueBinding<Row, Item, Outcome, Recorded> = {},
): LeasedQueue<Item, Outcome, Recorded> {
  const rows = new QueueRows(leasedTables[queue], postgresDialect, binding);
  const { record, toItem } = binding;
  return createQueue(async (method, parameters) => {
    const query = rows[method] as (...given: readonly unknown[]) => Query<unknown>;
    const runOn = async (session: Session): Promise<unknown> =>
      await run(query.apply(rows, [...parameters]), ({ sql, values }) => session.query(sql, values));
    if (method === "record" && record !== undefined) {
      return await database.transact((session) => record(session, parameters[0] as readonly Outcome[]));
    }
    if (method !== "claim") return await (method === "record" ? database.transact(runOn) : runOn(database));
    const claimed = (await database.transact(runOn)) as readonly Row[];
    return toItem === undefined ? claimed : claimed.map(toItem);
  });
}

/** Creates the store of quarantined work of all nodes. */
export function createQuarantineStore(database: Database): QuarantineStore {
  const rows = new QuarantineRows(postgresDialect);
  const ask = async <Result>(query: Query<Result>): Promise<Result> =>
    await run(query, ({ sql, values }) => database.query(sql, values));
  return {
    quarantineDue: async (now) => await ask(rows.quarantineDue(now)),
    listQuarantined: async () => await ask(rows.listQuarantined()),
    countQuarantined: async () => await ask(rows.countQuarantined()),
    releaseQuarantined: async (queue, ids, now) => await ask(rows.releaseQuarantined(queue, ids, now)),
  };
}
