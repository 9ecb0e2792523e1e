import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { leasedTables, claims, isLeasedByOthers, leasesOfNode, type LeasedTable } from "../../queues/leased-tables.ts";
import type { DueRow, QueueDialect } from "../../queues/dialect.ts";
import { rowsOf, runAtOnce, type Query, type Statement } from "../../queues/query.ts";

/** Statements about queues in SQLite, whose writer is alone. */
export const sqliteDialect: QueueDialect = {
  name: "sqlite",
  skipLocked: "",
  isAmong: (column, parameter) => `${column} in (select value from json_each(${parameter}))`,
  isPair: (columns) =>
    `(${columns.join(", ")}) in (
       select a.value, b.value from json_each($1) a join json_each($2) b on b.key = a.key)`,
  list: (values) => JSON.stringify(values),
  memberAt: (list, index) =>
    `(select value from json_each(${list}) where key = min(${index}, json_array_length(${list}) - 1))`,
  toText: (text) => text,
  fromText: (column) => column,
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

/** Returns a function that executes queries on a connection at once. */
export function queryRunner(database: DatabaseSync): <Result>(query: Query<Result>) => Result {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql.replaceAll("$", "?"));
    prepared.set(sql, statement);
    return statement;
  };
  const execute = ({ sql, values }: Statement): readonly unknown[] =>
    (prepared.get(sql) ?? prepare(sql)).all(...(values as SQLInputValue[]));
  return (query) => runAtOnce(query, execute);
}
