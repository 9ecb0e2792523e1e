import type { MessageId } from "../../../core/ids.ts";
import type { SqlDialect } from "../../sql/dialect.ts";
import { run, type Query } from "../../sql/query.ts";
import { serverIdOf, serverNumberOf, slotOf } from "../messages/id-slots.ts";
import type { Session } from "./database.ts";
import { fromText, toText } from "./text.ts";

const arrayTypes = { text: "text", uuid: "uuid", server: "bigint", slot: "uuid" } as const;

/** Statements of PostgreSQL, which several nodes execute. */
export const postgresDialect: SqlDialect = {
  name: "postgres",
  skipLocked: "for update skip locked",
  forUpdate: "for update",
  isAmong: (column, parameter, type) => `${column} = any(${parameter}::${arrayTypes[type]}[])`,
  isPair: (columns, [first, second]) =>
    `(${columns.join(", ")}) in (select * from unnest($1::${first}[], $2::${second}[]))`,
  list: (values) => values,
  memberAt: (list, index) => `(${list}::float8[])[least(${index} + 1, cardinality(${list}::float8[]))]`,
  toText,
  fromText,
  serverColumn: "server_id",
  serverKey: "server_id",
  serverNumber: "server_id",
  serverParameter: (parameter) => `${parameter}::bigint`,
  toServer: serverNumberOf,
  fromServer: (column) => serverIdOf(Number(column)),
  account: -1,
  epochColumns: "server_id, epoch",
  epochValues: "$1::bigint, $2::bigint",
  ofEpoch: (alias, epoch) => `${alias}.server_id = $1 and ${alias}.epoch = ${epoch}`,
  slotColumn: "slot",
  slotOf: (id) => slotOf(id) as MessageId,
  slotIn: (text) => `cast(${text} as uuid)`,
  fromSlot: (column) => column as MessageId,
  rowsIn: (parameter, alias) => `json_array_elements(${parameter}::json) as ${alias}(value)`,
  elementsOf: (column, alias) =>
    `lateral (select value collate "C" as value from json_array_elements_text(${column}::json) as e(value)) as ${alias}`,
  contains: (text, part) => `position(${part} in ${text}) > 0`,
  overwriting: (query) => query,
};

/** Executes a query in a session. */
export async function runOn<Result>(session: Session, query: Query<Result>): Promise<Result> {
  return await run(query, ({ sql, values }) => session.query(sql, values.map(toParameter)));
}

function toParameter(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}
