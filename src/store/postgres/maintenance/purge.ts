import type { Database, Session } from "../connection/database.ts";
import { recordRows } from "../account/records.ts";
import { runOn } from "../connection/dialect.ts";
import { removeParts } from "../content/external-content.ts";
import { removeSegment } from "../text-index/segments.ts";

interface QueuedEpoch {
  readonly server_id: number;
  readonly epoch: number;
}

/** Maximum number of epochs that one step reads, and of failing epochs that are remembered. */
const queuedCountMax = 20;
const failingCountMax = 1000;
/** Number of rows that one step deletes from a table. */
const messageCountPerStep = 200;
const rowCountPerStep = 2000;

/**
 * Deletes the rows of emptied and deleted servers and of removed callback targets, which are unreachable. Queues are tables, so that any node
 * resumes the work of another.
 */
export class Purge {
  readonly #database: Database;

  /** Epochs whose last step failed. */
  readonly #failing = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Does one short step on an epoch that no other node has locked; returns false when there is none. */
  async step(): Promise<boolean> {
    const queued = await this.#database.query<QueuedEpoch>(
      "/* all servers */ select server_id, epoch from purge order by epoch limit $1",
      [queuedCountMax + this.#failing.size],
    );
    // Failing epochs come last, so that the others are purged.
    for (const next of queued) if (!this.#failing.has(keyOf(next)) && (await this.#try(next))) return true;
    for (const next of queued) if (this.#failing.has(keyOf(next)) && (await this.#try(next))) return true;
    return await this.#clearDeliveries();
  }

  /** Deletes deliveries of a removed target that no other node has locked. */
  async #clearDeliveries(): Promise<boolean> {
    return await this.#database.transact(
      async (session) => await runOn(session, recordRows.deliveries.purge(rowCountPerStep)),
    );
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

  /** Returns false when another node has locked it. */
  async #clear(next: QueuedEpoch): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      const of = [next.server_id, next.epoch];
      const [held] = await session.query(
        "select 1 from purge where server_id = $1 and epoch = $2 for update skip locked",
        of,
      );
      if (held === undefined) return false;
      const isMore =
        (await clearMessages(session, of)) || (await clearRows(session, of)) || (await clearSegment(session, next));
      if (!isMore) {
        await session.query("delete from outbox where epoch = $1", [next.epoch]);
        await clearProgress(session, of);
        await session.query("delete from purge where server_id = $1 and epoch = $2", of);
      }
      return true;
    });
  }
}

/**
 * Returns the oldest messages of an epoch as a range of the primary key, whose boundary is looked up first: for a list
 * of ids the planner would read the whole table.
 */
async function clearMessages(session: Session, of: readonly number[]): Promise<boolean> {
  const [boundary] = await session.query<{ slot: string }>(
    `select slot from (select slot from message where server_id = $1 and epoch = $2 order by slot limit $3) oldest
     order by slot desc limit 1`,
    [...of, messageCountPerStep],
  );
  if (boundary === undefined) return false;
  const range = [...of, boundary.slot];
  await runOn(session, removeParts("slot <= $3", range));
  const gone = await session.query(
    "delete from message where server_id = $1 and epoch = $2 and slot <= $3 returning 1",
    range,
  );
  for (const table of ["annotation", "mark"]) {
    await session.query(`delete from ${table} where server_id = $1 and epoch = $2 and slot <= $3`, range);
  }
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

/** Deletes one segment of the text index; returns false when there is none. */
async function clearSegment(session: Session, { server_id: server, epoch }: QueuedEpoch): Promise<boolean> {
  const [segment] = await session.query<{ number: number }>(
    "select number from text_segment where server_id = $1 and epoch = $2 order by number limit 1",
    [server, epoch],
  );
  if (segment === undefined) return false;
  await removeSegment(session, { server, epoch }, segment.number);
  return true;
}

/** Deletes the progress of the text index unless a step of the indexer has locked it, which then finds that the epoch ended. */
async function clearProgress(session: Session, of: readonly number[]): Promise<void> {
  const [held] = await session.query(
    "select 1 as one from text_progress where server_id = $1 and epoch = $2 for update skip locked",
    of,
  );
  if (held !== undefined) await session.query("delete from text_progress where server_id = $1 and epoch = $2", of);
}

function keyOf({ server_id: server, epoch }: QueuedEpoch): string {
  return `${server}/${epoch}`;
}
