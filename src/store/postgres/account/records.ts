/** Records of the account and queues in PostgreSQL, which all nodes share. */
import type { ServerQuota } from "../../../core/server.ts";
import { ScheduledRows } from "../../queues/scheduled-rows.ts";
import { createRecordCalls, createRecordRows, type RecordCalls, type RecordRows } from "../../records/records.ts";
import { queryOf } from "../../sql/calls.ts";
import type { Database } from "../connection/database.ts";
import { runOn } from "../connection/dialect.ts";
import { contentTables } from "../content/content.ts";
import { journal } from "../messages/changes.ts";
import { tagIndex } from "../messages/address-keys.ts";
import { queueDialect } from "../queues/due-work.ts";
import { randomInt } from "node:crypto";
import type { ServerParts } from "../../records/server-rows.ts";
import { computed, rowsOf } from "../../sql/query.ts";

/** Epochs are random numbers, so that a server created again with an old id has an epoch of its own. */
const epochEnd = 2 ** 48 - 1;

/** Epochs, and the queue of the purge. */
const serverParts: ServerParts = {
  nextEpoch: () => computed(() => randomInt(1, epochEnd)),
  *enqueuePurge({ number, epoch, receivedCount, sentCount }, isDeleted) {
    if (isDeleted) yield* rowsOf("delete from change where server_id = $1", [number]);
    const sql = "insert into purge (server_id, epoch, message_count) values ($1, $2, $3)";
    yield* rowsOf(sql, [number, epoch, receivedCount + sentCount]);
  },
};

/** Statements about records, also for transactions that change something else with them. */
export const recordRows: RecordRows = createRecordRows(queueDialect, {
  journal,
  tagIndex,
  servers: serverParts,
  content: contentTables,
});

/** Creates calls of the records. `quota` is that of servers without one of their own. */
export function openRecords(database: Database, quota: ServerQuota): RecordCalls {
  const rows = { ...recordRows, scheduled: new ScheduledRows(queueDialect, quota) };
  return createRecordCalls(rows, {
    read: async (kind, method, parameters) => await runOn(database, queryOf(rows[kind], method, parameters)),
    change: async (kind, method, parameters) =>
      await database.transact(async (session) => await runOn(session, queryOf(rows[kind], method, parameters))),
  });
}
