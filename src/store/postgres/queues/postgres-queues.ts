import type { LeasedQueueName } from "../../../core/quarantine.ts";
import type { Lease, LeasedQueue, WorkOutcome } from "../../leased-queue.ts";
import type { ServerQuota } from "../../../core/server.ts";
import type { ScheduledMessageStore } from "../../scheduled-message-store.ts";
import { queryOf } from "../../sql/calls.ts";
import { leasedTables } from "../../queues/leased-tables.ts";
import { createQueue, QueueRows } from "../../queues/queue-rows.ts";
import { createScheduledStore, scheduledColumns, ScheduledRows } from "../../queues/scheduled-rows.ts";
import type { Database, Session } from "../connection/database.ts";
import { postgresDialect, runOn } from "../connection/dialect.ts";
import { queueDialect } from "./due-work.ts";

/** Columns of claimed work of a queue, and functions that read it and record outcomes, if not those of `QueueRows`. */
export interface QueueBinding<Row, Item, Outcome, Recorded> {
  readonly columns?: string;
  readonly toItem?: (row: Row) => Item;
  readonly record?: (session: Session, outcomes: readonly Outcome[]) => Promise<readonly (Recorded | undefined)[]>;
}

/** Creates a queue, whose work all nodes share. */
export function openQueue<
  Row extends { readonly id: string },
  Item extends { readonly id: string },
  Outcome extends Lease = WorkOutcome,
  Recorded = object,
>(
  database: Database,
  queue: LeasedQueueName,
  binding: QueueBinding<Row, Item, Outcome, Recorded> = {},
): LeasedQueue<Item, Outcome, Recorded> {
  const rows = new QueueRows(leasedTables[queue], queueDialect, binding);
  const { record, toItem } = binding;
  return createQueue(async (method, parameters) => {
    const runIn = async (session: Session): Promise<unknown> => await runOn(session, queryOf(rows, method, parameters));
    if (method === "record" && record !== undefined) {
      return await database.transact((session) => record(session, parameters[0] as readonly Outcome[]));
    }
    if (method !== "claim") return await (method === "record" ? database.transact(runIn) : runIn(database));
    const claimed = (await database.transact(runIn)) as readonly Row[];
    return toItem === undefined ? claimed : claimed.map(toItem);
  });
}

/** Creates the store of messages that arrive later. `quota` is that of servers without one of their own. */
export function openScheduled(database: Database, quota: ServerQuota): ScheduledMessageStore {
  const rows = new ScheduledRows(postgresDialect, quota);
  const toItem = rows.toMessage.bind(rows);
  return createScheduledStore(
    async (method, parameters) =>
      await database.transact(async (session) => await runOn(session, queryOf(rows, method, parameters))),
    openQueue(database, "scheduled", { columns: scheduledColumns, toItem }),
  );
}
