/** Quarantine of work in all leased tables, for both databases. Guarantees are those of `QuarantineStore`. */
import { leasedQueues, type LeasedQueueName, quarantineListCountMax } from "../../core/quarantine.ts";
import type { QuarantinedWork } from "../leased-queue.ts";
import { DialectRows } from "../sql/dialect.ts";
import { claims, leasedTables } from "./leased-tables.ts";
import { rowsOf, type Query } from "../sql/query.ts";

type WorkRow = Omit<QuarantinedWork, "queue">;

const held = `${claims.isDead} and quarantined_at is not null`;

/** Statements about quarantined work. */
export class QuarantineRows extends DialectRows {
  #columns(queue: LeasedQueueName): string {
    const { id, message, attempts } = leasedTables[queue];
    return `cast(${id} as text) as id, ${message} as message, ${attempts} as attempts,
      quarantined_at as "quarantinedAt"`;
  }

  /** Returns whether work is due that has died too often. */
  *hasDue(now: number): Query<boolean> {
    for (const queue of leasedQueues) {
      const { table } = leasedTables[queue];
      const due = yield* rowsOf(`select 1 from ${table} where ${claims.isDead} and due_at <= $1 limit 1`, [now]);
      if (due.length > 0) return true;
    }
    return false;
  }

  *quarantineDue(now: number): Query<readonly QuarantinedWork[]> {
    const found: QuarantinedWork[] = [];
    for (const queue of leasedQueues) {
      const { table, quarantines = "" } = leasedTables[queue];
      const rows = yield* rowsOf<WorkRow>(
        `update ${table} set due_at = null, lease = null, quarantined_at = $1${quarantines}
         where ${claims.isDead} and due_at <= $1 returning ${this.#columns(queue)}`,
        [now],
      );
      found.push(...rows.map((row) => ({ queue, ...row })));
    }
    return found;
  }

  *listQuarantined(): Query<readonly QuarantinedWork[]> {
    const found: QuarantinedWork[] = [];
    for (const queue of leasedQueues) {
      const rows = yield* rowsOf<WorkRow>(
        `select ${this.#columns(queue)} from ${leasedTables[queue].table} where ${held}
         order by quarantined_at limit ${quarantineListCountMax}`,
      );
      found.push(...rows.map((row) => ({ queue, ...row })));
    }
    return found.slice(0, quarantineListCountMax);
  }

  *countQuarantined(): Query<Readonly<Record<LeasedQueueName, number>>> {
    const counts = leasedQueues.map((queue) => {
      return `(select count(*) from ${leasedTables[queue].table} where ${held}) as ${queue}`;
    });
    const [row] = yield* rowsOf<Record<LeasedQueueName, number>>(`select ${counts.join(", ")}`);
    return { outbox: 0, deliveries: 0, scans: 0, scheduled: 0, reparses: 0, ...row };
  }

  *releaseQuarantined(queue: LeasedQueueName, ids: readonly string[], now: number): Query<number> {
    const { table, id, releases = "" } = leasedTables[queue];
    const rows = yield* rowsOf(
      `update ${table} set due_at = $2, ${claims.ended}${releases}
       where ${this.dialect.isAmong(`cast(${id} as text)`, "$1", "text")} and ${held} returning 1 as one`,
      [this.dialect.list(ids), now],
    );
    return rows.length;
  }
}
