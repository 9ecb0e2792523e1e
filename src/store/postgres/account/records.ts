/** Records of the account in PostgreSQL, which all nodes share. */
import { queryOf } from "../../queues/calls.ts";
import type { RecordDialect } from "../../records/dialect.ts";
import { createRecordRows, createRecordStores, type RecordStores } from "../../records/records.ts";
import type { Database } from "../connection/database.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";
import { postgresDialect, runOn } from "../queues/dialect.ts";

const dialect: RecordDialect = {
  ...postgresDialect,
  forUpdate: "for update",
  serverColumn: "server_id",
  serverKey: "server_id",
  serverParameter: (parameter) => `${parameter}::bigint`,
  toServer: serverNumberOf,
  fromServer: (column) => serverIdOf(Number(column)),
  overwriting: (query) => query,
  account: -1,
};

/** Statements about records, also for transactions that change something else with them. */
export const recordRows: ReturnType<typeof createRecordRows> = createRecordRows(dialect);

/** Creates the stores of records. */
export function openRecords(database: Database): RecordStores {
  return createRecordStores({
    read: async (kind, method, parameters) => await runOn(database, queryOf(recordRows[kind], method, parameters)),
    change: async (kind, method, parameters) =>
      await database.transact(async (session) => await runOn(session, queryOf(recordRows[kind], method, parameters))),
  });
}
