import type { Clock } from "../../../core/clock.ts";
import type { FaultOccurrence } from "../../../core/fault.ts";
import type { ServerId } from "../../../core/ids.ts";
import { FaultIndex } from "../../fault-index.ts";
import type { FaultKeys } from "../../fault-store.ts";
import type { Database } from "../connection/database.ts";
import { serverIdOf } from "../messages/id-slots.ts";

/** `server_id` of rules of the service. */
export const serviceNumber = -1;

/**
 * Time for which a node relies on what it has read. A change of rules is reported as done only after this time, when all
 * nodes have read it.
 */
const readMsMax = 200;
/** Extra wait for clocks of nodes that differ in rate. */
const reserveMs = 50;

interface ListRow {
  readonly server_id: number;
  readonly version: number;
  readonly keys: string;
}

/** Stages and client addresses for which rules exist, read from the database while there is traffic. */
export class FaultLists {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #index = new FaultIndex();
  #version = 0;
  /** Monotonic milliseconds. */
  #readAt = -Infinity;
  #reading: Promise<void> | null = null;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Whether a rule may apply to an occurrence; a promise when the lists must be read first. With frequent calls they are
   * read in advance, so that no call waits.
   */
  mayApply(occurrence: FaultOccurrence): boolean | Promise<boolean> {
    const ageMs = this.#clock.monotonicMs() - this.#readAt;
    if (ageMs < readMsMax / 2) return this.#index.mayApply(occurrence);
    this.#reading ??= this.read().finally(() => {
      this.#reading = null;
    });
    if (ageMs >= readMsMax) return this.#reading.then(() => this.#index.mayApply(occurrence));
    // Harmless: while reading fails the lists grow old, and the next call then waits for its own reading, and reports its error.
    this.#reading.catch(() => undefined);
    return this.#index.mayApply(occurrence);
  }

  /** Reads what has changed since the last time. Concurrent calls may end in any order. */
  async read(): Promise<void> {
    const startedAt = this.#clock.monotonicMs();
    const rows = await this.#database.query<ListRow>(
      "select server_id, version, keys from fault_list where version > $1 order by version",
      [this.#version],
    );
    for (const { server_id: number, version, keys } of rows) {
      if (version <= this.#version) continue;
      this.#version = version;
      this.#index.set(serverOf(number), JSON.parse(keys) as readonly FaultKeys[]);
    }
    this.#readAt = Math.max(this.#readAt, startedAt);
  }

  /** Resolves when every node has read a change that is committed. */
  async readEverywhere(): Promise<void> {
    await this.read();
    const [row] = await this.#database.query<{ count: number }>(
      "select count(*)::int4 as count from lease where task like 'node/%' and ends_at > now()",
    );
    if ((row?.count ?? 0) <= 1) return;
    await new Promise<void>((resolve) => void this.#clock.after(readMsMax + reserveMs, resolve));
  }
}

/** Returns the server of a number; null for the service. */
export function serverOf(number: number): ServerId | null {
  return number === serviceNumber ? null : serverIdOf(number);
}
