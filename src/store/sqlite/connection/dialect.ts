import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { idFromBytes, type ServerId } from "../../../core/ids.ts";
import type { ColumnTypes, GivenRows, SqlDialect } from "../../sql/dialect.ts";
import { rowsOf, runAtOnce, type Query, type Statement } from "../../sql/query.ts";

/** Statements of SQLite, whose writer is alone. */
export const sqliteDialect: SqlDialect = {
  name: "sqlite",
  skipLocked: "",
  forUpdate: "",
  forKeyShare: "",
  forEachRow: <Row>(columns: ColumnTypes, sql: (given: GivenRows) => string) => {
    const names = Object.keys(columns);
    const statement = sql({ of: (column) => `$${names.indexOf(column) + 1}`, from: "" });
    return function* (rows) {
      const results: Row[] = [];
      for (const row of rows) results.push(...(yield* rowsOf<Row>(statement, row)));
      return results;
    };
  },
  // Faster than "on conflict do nothing", for which SQLite collects the rows first.
  insertNew: (into, query) => `insert or ignore into ${into} ${query}`,
  numbersOf: (instants) => instants.map(() => null),
  isAmong: (column, parameter, type) =>
    `${column} in (select ${type === "slot" ? "unhex(value, '-')" : "value"} from json_each(${parameter}))`,
  isPair: (columns) =>
    `(${columns.join(", ")}) in (
       select a.value, b.value from json_each($1) a join json_each($2) b on b.key = a.key)`,
  list: (values) => JSON.stringify(values),
  memberAt: (list, index) =>
    `(select value from json_each(${list}) where key = min(${index}, json_array_length(${list}) - 1))`,
  serverKey: "id",
  toServer: (server) => server,
  serverNumber: "number",
  serverColumn: "server",
  fromServer: (column) => (column === "" ? null : (column as ServerId)),
  noServer: "",
  epochColumns: "epoch",
  epochValues: "$2",
  ofEpoch: (alias, epoch) => `${alias}.epoch = ${epoch}`,
  slotColumn: "id",
  slotOf: (id) => id,
  slotIn: (text) => `unhex(${text}, '-')`,
  fromSlot: (column) => idFromBytes(column as Uint8Array),
  rowsIn: (parameter, alias) => `json_each(${parameter}) as ${alias}`,
  elementsOf: (column, alias) => `json_each(${column}) as ${alias}`,
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  *overwriting(query) {
    yield* rowsOf("pragma secure_delete = on");
    try {
      return yield* query;
    } finally {
      yield* rowsOf("pragma secure_delete = off");
    }
  },
};

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
