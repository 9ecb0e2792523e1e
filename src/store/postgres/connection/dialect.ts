import type { MessageId } from "../../../core/ids.ts";
import type { ColumnTypes, GivenRows, SqlDialect } from "../../sql/dialect.ts";
import { rowsOf, run, type Query } from "../../sql/query.ts";
import { serverIdOf, serverNumberOf, slotOf } from "../messages/id-slots.ts";
import type { Session } from "./database.ts";
import { byteaArray } from "./parameters.ts";

const arrayTypes = { text: "text", uuid: "uuid", server: "bigint", slot: "uuid" } as const;

const columnTypes: Readonly<Record<ColumnTypes[string], string>> = {
  text: "text",
  uuid: "uuid",
  integer: "int4",
  bigint: "int8",
  number: "float8",
  bytes: "bytea",
};

/** Microseconds since the Unix epoch, so that the numbers of several nodes follow their clocks. */
let lastNumber = 0;

const noServer = -1;

/** Statements of PostgreSQL, which several nodes execute. */
export const postgresDialect: SqlDialect = {
  name: "postgres",
  skipLocked: "for update skip locked",
  forUpdate: "for update",
  forKeyShare: "for key share",
  forEachRow: <Row>(columns: ColumnTypes, sql: (given: GivenRows) => string) => {
    const types = Object.values(columns);
    const parameters = types.map((type, at) => `$${at + 1}::${columnTypes[type]}[]`);
    const from = `from unnest(${parameters.join(", ")}) as given(${Object.keys(columns).join(", ")})`;
    const statement = sql({ of: (column) => `given.${column}`, from });
    return function* (rows) {
      if (rows.length === 0) return [];
      const lists = types.map((type, at) => {
        const values = rows.map((row) => row[at]);
        return type === "bytes" ? byteaArray(values as readonly (Uint8Array | null)[]) : values;
      });
      return yield* rowsOf<Row>(statement, lists);
    };
  },
  insertNew: (into, query) => `insert into ${into} ${query} on conflict do nothing`,
  numbersOf: (instants) =>
    instants.map((instant) => {
      lastNumber = Math.max(lastNumber + 1, Math.floor(instant * 1000));
      return lastNumber;
    }),
  isAmong: (column, parameter, type) => `${column} = any(${parameter}::${arrayTypes[type]}[])`,
  isPair: (columns, [first, second]) =>
    `(${columns.join(", ")}) in (select * from unnest($1::${first}[], $2::${second}[]))`,
  list: (values) => values,
  memberAt: (list, index) => `(${list}::float8[])[least(${index} + 1, cardinality(${list}::float8[]))]`,
  serverKey: "server_id",
  toServer: serverNumberOf,
  serverNumber: "server_id",
  serverColumn: "server_id",
  fromServer: (column) => (column === noServer ? null : serverIdOf(Number(column))),
  noServer,
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

/** Executes a query in a session. Texts may contain NUL, in parameters and in rows ({@link toText}). */
export async function runOn<Result>(session: Session, query: Query<Result>): Promise<Result> {
  return await run(query, async ({ sql, values }) =>
    decodeRows(await session.query<Record<string, unknown>>(sql, values.map(toParameter))),
  );
}

function toParameter(value: unknown): unknown {
  if (typeof value === "string") return toText(value);
  if (Array.isArray(value)) return value.map(toParameter);
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/** Decodes the texts of rows in place: most have none to decode. */
function decodeRows(rows: readonly Record<string, unknown>[]): readonly unknown[] {
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) if (typeof value === "string") row[name] = fromText(value);
  }
  return rows;
}

/** First character of encoded texts. */
const mark = "\u0001";

/**
 * Encodes text for the type `text`, which cannot contain NUL. Text with NUL, or with the mark in front, gets the mark, `\0` for
 * NUL and `\\` for a backslash; all other text, JSON among it, stays. Every statement of the store encodes its texts, so that
 * no request makes one fail.
 */
export function toText(text: string): string {
  if (!text.includes("\0") && !text.startsWith(mark)) return text;
  return `${mark}${text.replaceAll("\\", "\\\\").replaceAll("\0", "\\0")}`;
}

/** Decodes the result of {@link toText}. */
export function fromText(column: string): string {
  if (!column.startsWith(mark)) return column;
  return column.slice(1).replaceAll(/\\([\\0])/g, (_, kind) => (kind === "0" ? "\0" : "\\"));
}
