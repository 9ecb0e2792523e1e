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
import { sqliteDialect } from "../connection/dialect.ts";

/** Statements about queues in SQLite. */
export const queueDialect: QueueDialect = {
  ...sqliteDialect,
  *due(table, { now, lease, keys }) {
    const found: DueRow[] = [];
    const node = leasesOfNode(lease);
    for (const { key, limit } of keys) {
      if (table.key !== undefined && !(yield* mayClaim(table, key, { node, now }))) continue;
      const ofKey = table.key === undefined ? "" : `and ${table.key} = $3`;
      const [isLive, order] = table === leasedTables.outbox ? [isLiveEntry, "number"] : ["", table.order];
      const due = yield* rowsOf<DueRow>(
        `select ${table.id} as id, open_claims as "openClaims" from ${table.table}
         where due_at <= $1 and ${claims.mayTake} ${ofKey} ${isLive}
         order by due_at, ${order} limit cast($2 as integer)`,
        [now, limit, ...(table.key === undefined ? [] : [key])],
      );
      found.push(...due);
    }
    return found;
  },
};

/** Entries of deleted messages are removed with their epoch; those that are due at the same instant are sent in the order of storage. */
const isLiveEntry = "and (epoch is null or epoch in (select epoch from server))";

function* mayClaim(
  table: LeasedTable,
  key: string,
  { node, now }: { readonly node: ReturnType<typeof leasesOfNode>; readonly now: number },
): Query<boolean> {
  const isActive = table.mayClaim?.("q.key") ?? "true";
  const isOthers = isLeasedByOthers(table, { value: "q.key", first: "$2", end: "$3", now: "$4" });
  const [condition, values] =
    table.isOrdered === true && node !== null
      ? [`${isActive} and not ${isOthers}`, [node.first, node.end, now]]
      : [isActive, []];
  const rows = yield* rowsOf(`select 1 from (select $1 as key) q where ${condition}`, [key, ...values]);
  return rows.length > 0;
}
