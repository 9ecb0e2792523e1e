import type { DatabaseSync } from "node:sqlite";
import type { LeasedQueueName } from "../../../core/quarantine.ts";
import type { AttemptOutcome } from "../../outbox-store.ts";
import { bindRecordDeliveries } from "../callbacks/delivery-calls.ts";
import { deliveryColumns, toDelivery } from "../callbacks/delivery-rows.ts";
import type { Journal } from "../messages/changes.ts";
import { scheduledColumns, ScheduledRows } from "../../queues/scheduled-rows.ts";
import { entryColumns, OutboxWrites, toEntry } from "../outbox/outbox.ts";
import type { QueueBinding } from "./queue-calls.ts";
import { sqliteDialect } from "../connection/dialect.ts";

/** Returns the bindings of the queues, for use inside the writer's transaction. */
export function queueBindings(
  database: DatabaseSync,
  journal: Journal,
): Readonly<Partial<Record<LeasedQueueName, QueueBinding>>> {
  const scheduled = new ScheduledRows(sqliteDialect);
  const outbox = new OutboxWrites(database, journal);
  return {
    outbox: {
      columns: entryColumns,
      toItem: toEntry,
      record: (outcomes: readonly AttemptOutcome[]) => outcomes.map((outcome) => outbox.record(outcome)),
    },
    deliveries: { columns: deliveryColumns, toItem: toDelivery, record: bindRecordDeliveries(database, journal) },
    scheduled: { columns: scheduledColumns, toItem: scheduled.toMessage.bind(scheduled) },
  };
}
