/** Records of the account in PostgreSQL, which all nodes share. */
import { queryOf } from "../../sql/calls.ts";
import { createRecordRows, createRecordStores, type RecordStores } from "../../records/records.ts";
import type { Database } from "../connection/database.ts";
import { postgresDialect, runOn } from "../connection/dialect.ts";
import { journal } from "../messages/changes.ts";
import { tagIndex } from "../messages/tag-index.ts";
import { serverParts } from "./servers.ts";

/** Statements about records, also for transactions that change something else with them. */
export const recordRows: ReturnType<typeof createRecordRows> = createRecordRows(postgresDialect, {
  journal,
  tagIndex,
  servers: serverParts,
});

/** Creates the stores of records. */
export function openRecords(database: Database): RecordStores {
  return createRecordStores({
    read: async (kind, method, parameters) => await runOn(database, queryOf(recordRows[kind], method, parameters)),
    change: async (kind, method, parameters) =>
      await database.transact(async (session) => await runOn(session, queryOf(recordRows[kind], method, parameters))),
  });
}
