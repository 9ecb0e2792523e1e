/** Queues of leased work on the threads of the store. */
import type { DatabaseSync } from "node:sqlite";
import { leasedQueues, type LeasedQueueName } from "../../../core/quarantine.ts";
import type { Lease, LeasedQueue, WorkOutcome } from "../../leased-queue.ts";
import { leasedTables } from "../../queues/leased-tables.ts";
import { queryOf } from "../../sql/calls.ts";
import { createScheduledStore, scheduledReads, ScheduledRows } from "../../queues/scheduled-rows.ts";
import type { ScheduledMessageStore } from "../../scheduled-message-store.ts";
import { createQueue, QueueRows, readMethods } from "../../queues/queue-rows.ts";
import type { Query } from "../../sql/query.ts";
import { copiedBytes, type Thread } from "../threads/thread.ts";
import { queryRunner, sqliteDialect } from "../connection/dialect.ts";
import { queueDialect } from "./due-work.ts";

/** Columns of claimed work of a queue, and functions that read it and record outcomes, if not those of `QueueRows`. */
export interface QueueBinding {
  readonly columns?: string;
  readonly toItem?: (row: never) => unknown;
  readonly record?: (outcomes: never) => readonly unknown[];
}

/** Calls of the writer thread about queues. */
export interface QueueCalls {
  /** Executes a method of `LeasedQueue`. */
  changeQueue(queue: LeasedQueueName, method: string, parameters: readonly unknown[]): unknown;
  /** Executes a method of {@link ScheduledRows}. */
  changeScheduled(method: string, parameters: readonly unknown[]): unknown;
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindQueueCalls(
  database: DatabaseSync,
  bindings: Readonly<Partial<Record<LeasedQueueName, QueueBinding>>>,
  scheduled: ScheduledRows,
): QueueCalls {
  const run = queryRunner(database);
  const rows = rowsOfQueues(bindings);
  return {
    changeQueue: (queue, method, parameters) => {
      const { record, toItem = (row: unknown) => row } = bindings[queue] ?? {};
      if (method === "record" && record !== undefined) return record(parameters[0] as never);
      const result = run(queryOf(rows[queue], method, parameters));
      return method === "claim" ? (result as readonly never[]).map(toItem) : result;
    },
    changeScheduled: (method, parameters) => run(queryOf(scheduled, method, parameters)),
  };
}

function rowsOfQueues(
  bindings: Readonly<Partial<Record<LeasedQueueName, QueueBinding>>>,
): Readonly<Record<LeasedQueueName, QueueRows>> {
  const rows = leasedQueues.map((queue) => {
    return [queue, new QueueRows(leasedTables[queue], queueDialect, bindings[queue])];
  });
  return Object.fromEntries(rows) as Record<LeasedQueueName, QueueRows>;
}

/** Queries about queues. */
export class QueueReads {
  readonly scheduled: ScheduledRows = new ScheduledRows(sqliteDialect);
  readonly #rows = rowsOfQueues({});
  readonly #run: ReturnType<typeof queryRunner>;

  constructor(database: DatabaseSync) {
    this.#run = queryRunner(database);
  }

  read(queue: LeasedQueueName, method: string, parameters: readonly unknown[]): unknown {
    return this.#run(queryOf(this.#rows[queue], method, parameters));
  }

  isEmpty(queue: LeasedQueueName): boolean {
    return this.#run(this.#rows[queue].isEmpty());
  }

  run<Result>(query: Query<Result>): Result {
    return this.#run(query);
  }
}

/** Threads that execute the methods of queues. */
export interface QueueThreads {
  readonly writer: Thread<QueueCalls>;
  /** Visits of all keys of deliveries take 80 ms for 10,000 receivers. */
  readonly reader: Thread<Pick<QueueReaderCalls, "readQueue">>;
  readonly read: <Result>(body: (queues: QueueReads) => Result) => Result;
}

/** Calls of the reader thread about queues. */
export interface QueueReaderCalls {
  readQueue(queue: LeasedQueueName, method: string, parameters: readonly unknown[]): unknown;
}

const reads: ReadonlySet<string> = new Set(readMethods);

/** Creates a queue. Checks of an empty queue do not start the reader thread, which takes 10 MB. */
export function openQueue<Item extends { readonly id: string }, Outcome extends Lease = WorkOutcome, Recorded = object>(
  { writer, reader, read }: QueueThreads,
  queue: LeasedQueueName,
): LeasedQueue<Item, Outcome, Recorded> {
  return createQueue(async (method, parameters) => {
    if (!reads.has(method)) return await writer.call("changeQueue", [queue, method, parameters]);
    const isShort = queue !== "deliveries" || read((queues) => queues.isEmpty(queue));
    if (isShort) return read((queues) => queues.read(queue, method, parameters));
    return await reader.call("readQueue", [queue, method, parameters]);
  });
}

const scheduledMethods: ReadonlySet<string> = new Set(scheduledReads);

/** Creates the store of messages that arrive later. */
export function openScheduled(threads: QueueThreads): ScheduledMessageStore {
  const { writer, read } = threads;
  return createScheduledStore(
    async (method, parameters) => {
      if (scheduledMethods.has(method)) {
        return read((queues) => queues.run(queryOf(queues.scheduled, method, parameters)));
      }
      const buffers: ArrayBuffer[] = [];
      return await writer.call("changeScheduled", [method, copiedBytes(parameters, buffers)], buffers);
    },
    openQueue(threads, "scheduled"),
  );
}
