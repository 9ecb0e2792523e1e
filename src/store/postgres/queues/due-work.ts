import type { WorkClaim } from "../../leased-queue.ts";
import {
  claims,
  isLeasedByOthers,
  leasedTables,
  leasesOfNode,
  type DueRow,
  type LeasedTable,
  type QueueDialect,
} from "../../queues/leased-tables.ts";
import { rowsOf, type Query } from "../../sql/query.ts";
import { intArray } from "../connection/parameters.ts";
import { postgresDialect } from "../connection/dialect.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import { serverNumberOf } from "../messages/id-slots.ts";

/** First number of the advisory locks of keys. */
const lockClass = 1_668_246_379;

/** Statements about queues in PostgreSQL. */
export const queueDialect: QueueDialect = {
  ...postgresDialect,
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
  const wanted = [keys.map((one) => one.key), intArray(keys.map(({ limit }) => limit))];
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
    [...chosen, now, node?.first ?? null, node?.end ?? null],
  );
}

interface EntryRow extends DueRow {
  readonly message: MessageId | null;
  readonly epoch: number | null;
}

/** Returns due entries, and locks them. Entries whose message was deleted with the epoch of its server are deleted. */
function* dueEntries(now: number, limit: number): Query<readonly DueRow[]> {
  const live: EntryRow[] = [];
  for (;;) {
    const due = yield* rowsOf<EntryRow>(
      `select entry as id, message, epoch, open_claims as "openClaims" from outbox
       where due_at <= $1 and ${claims.mayTake} and entry <> all($2::text[])
       order by due_at, entry limit $3 for update skip locked`,
      [now, live.map(({ id }) => id), limit - live.length],
    );
    const dead = yield* findDead(due);
    live.push(...due.filter(({ id }) => !dead.has(id)));
    if (dead.size === 0) return live;
    yield* rowsOf("delete from outbox where entry = any($1::text[])", [[...dead]]);
  }
}

function* findDead(due: readonly EntryRow[]): Query<ReadonlySet<string>> {
  const dead = new Set<string>();
  const serverOf = ({ message }: EntryRow) => (message === null ? null : decodeMessageId(message).server);
  for (const [server, entries] of Map.groupBy(due, serverOf)) {
    if (server === null) continue;
    const sql = "select epoch from server where server_id = $1";
    const [present] = yield* rowsOf<{ readonly epoch: number }>(sql, [serverNumberOf(server)]);
    for (const { id, epoch } of entries) if (present?.epoch !== epoch) dead.add(id);
  }
  return dead;
}
