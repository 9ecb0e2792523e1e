/** Quarantine of work in all leased tables; the work of all nodes. */
import type { MessageId } from "../../../core/ids.ts";
import { quarantineListCountMax } from "../../../core/quarantine-limits.ts";
import { leasedQueues, takeWork, type DueWork, type LeasedQueue } from "../../../core/quarantine.ts";
import { claims, leasedTables } from "../../leased-tables.ts";
import type { QuarantinedWork, QuarantineStore } from "../../quarantine-store.ts";
import type { Database, Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";

interface WorkRow {
  readonly id: string;
  readonly message: MessageId | null;
  readonly attempts: number;
  readonly quarantined_at: number;
}

function columnsOf(queue: LeasedQueue): string {
  const { id, attempts } = leasedTables[queue];
  const message = queue === "scheduled" ? "null::uuid" : "message";
  return `${id}::text as id, ${message} as message, ${attempts} as attempts, quarantined_at`;
}

function toWork(queue: LeasedQueue, row: WorkRow): QuarantinedWork {
  const { message, attempts, quarantined_at: quarantinedAt } = row;
  return { queue, id: fromText(row.id), message, attempts, quarantinedAt };
}

/** Quarantined work of all nodes. */
export class Quarantine implements QuarantineStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async quarantineDue(now: number): Promise<readonly QuarantinedWork[]> {
    const found: QuarantinedWork[] = [];
    for (const queue of leasedQueues) {
      const { table, quarantines = "" } = leasedTables[queue];
      const rows = await this.#database.query<WorkRow>(
        `update ${table} set due_at = null, lease = null, quarantined_at = $1${quarantines}
         where ${claims.isDead} and due_at <= $1 returning ${columnsOf(queue)}`,
        [now],
      );
      found.push(...rows.map((row) => toWork(queue, row)));
    }
    return found;
  }

  async listQuarantined(): Promise<readonly QuarantinedWork[]> {
    const found: QuarantinedWork[] = [];
    for (const queue of leasedQueues) {
      const rows = await this.#database.query<WorkRow>(
        `select ${columnsOf(queue)} from ${leasedTables[queue].table}
         where ${claims.isDead} and quarantined_at is not null order by quarantined_at limit $1`,
        [quarantineListCountMax],
      );
      found.push(...rows.map((row) => toWork(queue, row)));
    }
    return found.slice(0, quarantineListCountMax);
  }

  async countQuarantined(): Promise<Readonly<Record<LeasedQueue, number>>> {
    const counts = leasedQueues.map((queue) => {
      const { table } = leasedTables[queue];
      return `(select count(*)::int4 from ${table} where ${claims.isDead} and quarantined_at is not null) as ${queue}`;
    });
    const [row] = await this.#database.query<Record<LeasedQueue, number>>(`select ${counts.join(", ")}`);
    return row ?? { outbox: 0, deliveries: 0, scans: 0, scheduled: 0, reparses: 0 };
  }

  async releaseQuarantined(queue: LeasedQueue, ids: readonly string[], now: number): Promise<number> {
    const { table, id, releases = "" } = leasedTables[queue];
    const rows = await this.#database.query(
      `update ${table} set due_at = $2, ${claims.ended}${releases}
       where ${id}::text = any($1::text[]) and ${claims.isDead} and quarantined_at is not null returning 1`,
      [ids.map(toText), now],
    );
    return rows.length;
  }

  async forgiveClaims(queue: LeasedQueue, ids: readonly string[]): Promise<void> {
    const { table, id } = leasedTables[queue];
    await this.#database.query(
      `update ${table} set ${claims.returned} where ${id}::text = any($1::text[]) and quarantined_at is null`,
      [ids.map(toText)],
    );
  }
}

/** Applies `takeWork` to due rows of a queue that this transaction has locked; nodes take suspects independently. */
export async function takeDueWork<Work extends DueWork>(
  session: Session,
  queue: LeasedQueue,
  { due, now }: { readonly due: readonly Work[]; readonly now: number },
): Promise<readonly Work[]> {
  if (due.every(({ openClaims }) => openClaims === 0)) return due;
  const [running] = await session.query<{ count: number }>(
    `select count(*)::int4 as count from ${leasedTables[queue].table} where ${claims.isDead} and due_at > $1`,
    [now],
  );
  return takeWork(due, running?.count ?? 0);
}
