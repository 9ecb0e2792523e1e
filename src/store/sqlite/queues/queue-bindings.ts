import type { DatabaseSync } from "node:sqlite";
import type { LeasedQueueName } from "../../../core/quarantine.ts";
import type { Journal } from "../messages/changes.ts";
import { scheduledColumns, ScheduledRows } from "../../queues/scheduled-rows.ts";
import { entryColumns } from "../../queues/outbox-rows.ts";
import { recordRowsOf } from "../account/record-stores.ts";
import type { QueueBinding } from "./queue-calls.ts";
import { queryRunner, sqliteDialect } from "../connection/dialect.ts";

/** Returns the bindings of the queues, for use inside the writer's transaction. */
export function queueBindings(
  database: DatabaseSync,
  journal: Journal,
): Readonly<Partial<Record<LeasedQueueName, QueueBinding>>> {
  const scheduled = new ScheduledRows(sqliteDialect);
  const { outbox, deliveries } = recordRowsOf(journal);
  const run = queryRunner(database);
  return {
    outbox: {
      columns: entryColumns,
      toItem: outbox.toEntry.bind(outbox),
      record: (outcomes: Parameters<typeof outbox.recordAttempts>[0]) => run(outbox.recordAttempts(outcomes)),
    },
    deliveries: {
      columns: deliveries.columns,
      toItem: deliveries.toDelivery.bind(deliveries),
      record: (outcomes: Parameters<typeof deliveries.recordOutcomes>[0]) => run(deliveries.recordOutcomes(outcomes)),
    },
    scheduled: { columns: scheduledColumns, toItem: scheduled.toMessage.bind(scheduled) },
  };
}
