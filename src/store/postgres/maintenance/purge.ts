import type { Database, Session } from "../connection/database.ts";
import { removeParts } from "../content/external-content.ts";

interface QueuedEpoch {
  readonly server_id: number;
  readonly epoch: number;
}

/** Epochs that one step looks at, and those that are remembered as failing. */
const queuedCountMax = 20;
const failingCountMax = 1000;
/** Rows that one step takes of a table. */
const messageCountPerStep = 200;
const rowCountPerStep = 2000;

/**
 * Reclaims what emptied and deleted servers left behind: nobody can reach it any more. The queue lies in the database,
 * so that any node resumes what another began.
 */
export class Purge {
  readonly #database: Database;

  /** Epochs whose last step failed. */
  readonly #failing = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** One short step on an epoch that no other node is at work on; false when there is none. */
  async step(): Promise<boolean> {
    const queued = await this.#database.query<QueuedEpoch>(
      "/* all servers */ select server_id, epoch from purge order by epoch limit $1",
      [queuedCountMax + this.#failing.size],
    );
    // Those that failed before come last: whatever is wrong with them, the others are reclaimed.
    for (const next of queued) if (!this.#failing.has(keyOf(next)) && (await this.#try(next))) return true;
    for (const next of queued) if (this.#failing.has(keyOf(next)) && (await this.#try(next))) return true;
    return false;
  }

  async #try(next: QueuedEpoch): Promise<boolean> {
    try {
      const didSome = await this.#clear(next);
      this.#failing.delete(keyOf(next));
      return didSome;
    } catch (error) {
      if (this.#failing.size < failingCountMax) this.#failing.add(keyOf(next));
      throw error;
    }
  }

  /** False when another node has it. */
  async #clear(next: QueuedEpoch): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      const of = [next.server_id, next.epoch];
      const [held] = await session.query(
        "select 1 from purge where server_id = $1 and epoch = $2 for update skip locked",
        of,
      );
      if (held === undefined) return false;
      const isMore = (await clearMessages(session, of)) || (await clearRows(session, of));
      if (!isMore) {
        for (const table of ["outbox", "indexed_text"]) {
          await session.query(`delete from ${table} where server_id = $1 and epoch = $2`, of);
        }
        await session.query("delete from purge where server_id = $1 and epoch = $2", of);
      }
      return true;
    });
  }
}

/**
 * The oldest messages of an epoch, up to a boundary that is looked for first: a range of the primary key, where a list of
 * ids would have the planner read the whole table.
 */
async function clearMessages(session: Session, of: readonly number[]): Promise<boolean> {
  const [boundary] = await session.query<{ slot: string }>(
    `select slot from (select slot from message where server_id = $1 and epoch = $2 order by slot limit $3) oldest
     order by slot desc limit 1`,
    [...of, messageCountPerStep],
  );
  if (boundary === undefined) return false;
  const range = [...of, boundary.slot];
  await removeParts(session, "slot <= $3", range);
  const gone = await session.query(
    "delete from message where server_id = $1 and epoch = $2 and slot <= $3 returning 1",
    range,
  );
  await session.query(
    "update purge set message_count = greatest(0, message_count - $3) where server_id = $1 and epoch = $2",
    [...of, gone.length],
  );
  return true;
}

async function clearRows(session: Session, of: readonly number[]): Promise<boolean> {
  const [boundary] = await session.query<{ key: string; slot: string }>(
    `select key, slot from (
       select key, slot from address where server_id = $1 and epoch = $2 order by key, slot limit $3) oldest
     order by key desc, slot desc limit 1`,
    [...of, rowCountPerStep],
  );
  if (boundary === undefined) return false;
  await session.query("delete from address where server_id = $1 and epoch = $2 and (key, slot) <= ($3, $4)", [
    ...of,
    boundary.key,
    boundary.slot,
  ]);
  return true;
}

function keyOf({ server_id: server, epoch }: QueuedEpoch): string {
  return `${server}/${epoch}`;
}
