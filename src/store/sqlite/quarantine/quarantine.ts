/** Quarantine of work in all leased tables. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { idFromBytes, type MessageId } from "../../../core/ids.ts";
import { quarantineListCountMax } from "../../../core/quarantine-limits.ts";
import { leasedQueues, takeWork, type DueWork, type LeasedQueue } from "../../../core/quarantine.ts";
import { claims, leasedTables } from "../../leased-tables.ts";
import type { QuarantinedWork, QuarantineStore } from "../../quarantine-store.ts";
import type { Thread } from "../threads/thread.ts";

/** Columns of the message that work is about. */
const messageColumns: Readonly<Record<LeasedQueue, string>> = {
  outbox: "id",
  deliveries: "message",
  scans: "message",
  scheduled: "null",
  reparses: "message",
};

function columnsOf(queue: LeasedQueue): string {
  const { id, attempts } = leasedTables[queue];
  return `'${queue}' as queue, ${id} as id, ${messageColumns[queue]} as message, ${attempts} as attempts,
    quarantined_at as quarantinedAt`;
}

type WorkRow = Omit<QuarantinedWork, "message"> & { readonly message: MessageId | Uint8Array | null };

function toWork({ message, ...row }: WorkRow): QuarantinedWork {
  return { ...row, message: message instanceof Uint8Array ? idFromBytes(message) : message };
}

/** Prepares a statement for each queue. */
function ofQueues(database: DatabaseSync, sqlOf: (queue: LeasedQueue) => string): Record<LeasedQueue, StatementSync> {
  const prepared = leasedQueues.map((queue) => [queue, database.prepare(sqlOf(queue))]);
  return Object.fromEntries(prepared) as Record<LeasedQueue, StatementSync>;
}

/** Queries of quarantined work. */
export class QuarantineReads {
  readonly #due: Record<LeasedQueue, StatementSync>;
  readonly #list: Record<LeasedQueue, StatementSync>;
  readonly #count: Record<LeasedQueue, StatementSync>;

  constructor(database: DatabaseSync) {
    const from = (queue: LeasedQueue): string => `from ${leasedTables[queue].table} where ${claims.isDead}`;
    this.#due = ofQueues(database, (queue) => `select 1 ${from(queue)} and due_at <= ? limit 1`);
    this.#list = ofQueues(
      database,
      (queue) =>
        `select ${columnsOf(queue)} ${from(queue)} and quarantined_at is not null order by quarantined_at limit ? + 0`,
    );
    this.#count = ofQueues(
      database,
      (queue) => `select count(*) as count ${from(queue)} and quarantined_at is not null`,
    );
  }

  /** Returns whether work is due that has died too often. */
  hasDue(now: number): boolean {
    return leasedQueues.some((queue) => this.#due[queue].get(now) !== undefined);
  }

  list(): readonly QuarantinedWork[] {
    const rows = leasedQueues.flatMap((queue) => this.#list[queue].all(quarantineListCountMax));
    return rows.slice(0, quarantineListCountMax).map((row) => toWork({ ...(row as unknown as WorkRow) }));
  }

  counts(): Readonly<Record<LeasedQueue, number>> {
    const counted = leasedQueues.map((queue) => [queue, Number(this.#count[queue].get()?.["count"])]);
    return Object.fromEntries(counted) as Record<LeasedQueue, number>;
  }
}

/** Calls of the writer thread, as in the contract. */
export interface QuarantineCalls {
  quarantineDue(now: number): readonly QuarantinedWork[];
  releaseQuarantined(queue: LeasedQueue, ids: readonly string[], now: number): number;
  forgiveClaims(queue: LeasedQueue, ids: readonly string[]): void;
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindQuarantineCalls(database: DatabaseSync): QuarantineCalls {
  const quarantine = ofQueues(database, (queue) => {
    const { table, quarantines = "" } = leasedTables[queue];
    return `update ${table} set due_at = null, lease = null, quarantined_at = ?1${quarantines}
      where ${claims.isDead} and due_at <= ?1 returning ${columnsOf(queue)}`;
  });
  const release = ofQueues(database, (queue) => {
    const { table, id, releases = "" } = leasedTables[queue];
    return `update ${table} set due_at = ?, ${claims.ended}${releases} where ${id} = ? and quarantined_at is not null`;
  });
  const forgive = ofQueues(database, (queue) => {
    const { table, id } = leasedTables[queue];
    return `update ${table} set ${claims.returned} where ${id} = ? and quarantined_at is null`;
  });
  return {
    quarantineDue: (now) =>
      leasedQueues.flatMap((queue) =>
        quarantine[queue].all(now).map((row) => toWork({ ...(row as unknown as WorkRow) })),
      ),
    releaseQuarantined: (queue, ids, now) =>
      ids.reduce((count, id) => count + Number(release[queue].run(now, id).changes), 0),
    forgiveClaims: (queue, ids) => {
      for (const id of ids) forgive[queue].run(id);
    },
  };
}

/** Returns the function that applies `takeWork` to the due rows of a queue. */
export function bindTakeWork(
  database: DatabaseSync,
  queue: LeasedQueue,
): <Work extends DueWork>(due: readonly Work[], now: number) => readonly Work[] {
  const running = database.prepare(
    `select count(*) as count from ${leasedTables[queue].table} where ${claims.isDead} and due_at > ?`,
  );
  return (due, now) => {
    const isNone = due.every(({ openClaims }) => openClaims === 0);
    return isNone ? due : takeWork(due, Number(running.get(now)?.["count"]));
  };
}

/** Creates the store. */
export function createQuarantineStore(
  writer: Thread<QuarantineCalls>,
  read: <Result>(body: (reads: QuarantineReads) => Result) => Result,
): QuarantineStore {
  return {
    // Work is quarantined rarely, so that the writer is called rarely.
    quarantineDue: async (now) => (read((reads) => reads.hasDue(now)) ? writer.call("quarantineDue", [now]) : []),
    listQuarantined: async () => read((reads) => reads.list()),
    countQuarantined: async () => read((reads) => reads.counts()),
    releaseQuarantined: async (queue, ids, now) => writer.call("releaseQuarantined", [queue, ids, now]),
    forgiveClaims: async (queue, ids) => writer.call("forgiveClaims", [queue, ids]),
  };
}
