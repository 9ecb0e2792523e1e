import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import type { CachedRows, CacheRows, RowSource, VersionedRow } from "../../records/versions.ts";
import type { Database } from "../connection/database.ts";
import { runOn } from "../connection/dialect.ts";

/**
 * Time for which a node relies on what it has read. A change is reported as done only after this time, when all nodes have
 * read it.
 */
const readMsMax = 200;
/** Longest wait for a reading. After it, or after a failure, no caller waits until a reading succeeds. */
const waitMsMax = 1000;
/** Extra wait for clocks of nodes that differ in rate. */
const reserveMs = 50;

/** Source of rows, and what a node keeps of them in memory. */
interface VersionedSource<Row extends VersionedRow> extends RowSource<Row> {
  readonly database: Database;
  readonly clock: Clock;
}

/** Returns a function that keeps rows of a database in memory. */
export function cacheRowsOf(database: Database, clock: Clock): CacheRows {
  return (source) => new VersionedRows({ ...source, database, clock });
}

/** Small rows that every node keeps in memory, read from the database while there is traffic. */
class VersionedRows<Row extends VersionedRow> implements CachedRows {
  readonly #source: VersionedSource<Row>;
  #version = 0;
  /** Monotonic milliseconds. */
  #readAt = -Infinity;
  #reading: Promise<void> | null = null;
  /** Error of the last reading; null when it succeeded. */
  #failure: Error | null = null;

  constructor(source: VersionedSource<Row>) {
    this.#source = source;
  }

  /**
   * Returns null when memory has every change that was reported as done before the call; a promise of it when the rows must
   * be read first. With frequent calls they are read in advance, so that no call waits. While they cannot be read, returns
   * the error of the reading without a wait: memory has the rows that were read last.
   */
  refresh(): Error | null | Promise<Error | null> {
    const calledAt = this.#source.clock.monotonicMs();
    const ageMs = calledAt - this.#readAt;
    if (ageMs < readMsMax / 2) return null;
    void this.#startReading();
    if (ageMs < readMsMax) return null;
    return this.#failure ?? this.#readSince(calledAt);
  }

  async #readSince(calledAt: number): Promise<Error | null> {
    const { clock, name } = this.#source;
    let cancel = (): void => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = clock.after(waitMsMax, () => {
        this.#failure ??= new Problem("unavailable", { text: `${name} could not be read in time` });
        resolve();
      });
    });
    try {
      while (this.#failure === null && calledAt - this.#readAt >= readMsMax) {
        await Promise.race([this.#startReading(), timeout]);
      }
    } finally {
      cancel();
    }
    return this.#failure;
  }

  /** Resolves when the reading in progress, or a new one, has ended; its failure is reported by the next calls. */
  #startReading(): Promise<void> {
    this.#reading ??= this.read()
      .catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Problem("unavailable");
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  /** Reads what has changed since the last time. Concurrent calls may end in any order. */
  async read(): Promise<void> {
    const { clock, database, listChangedSince, apply } = this.#source;
    const startedAt = clock.monotonicMs();
    for (const row of await runOn(database, listChangedSince(this.#version))) {
      if (row.version <= this.#version) continue;
      this.#version = row.version;
      apply(row);
    }
    this.#readAt = Math.max(this.#readAt, startedAt);
    this.#failure = null;
  }

  /** Resolves when every node has read a change that is committed. */
  async readEverywhere(): Promise<void> {
    const { clock, database } = this.#source;
    await this.read();
    const [row] = await database.query<{ count: number }>(
      "select count(*)::int4 as count from lease where task like 'node/%' and ends_at > now()",
    );
    if ((row?.count ?? 0) <= 1) return;
    await new Promise<void>((resolve) => void clock.after(readMsMax + reserveMs, resolve));
  }
}
