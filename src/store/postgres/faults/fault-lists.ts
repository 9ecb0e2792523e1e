import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
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
/** Longest wait for a reading. After it, or after a failure, no caller waits until a reading succeeds. */
const waitMsMax = 1000;
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
  /** Error of the last reading; null when it succeeded. */
  #failure: Error | null = null;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Whether a rule may apply to an occurrence; a promise when the lists must be read first. With frequent calls they are
   * read in advance, so that no call waits. While they cannot be read, the lists that were read last decide without a wait,
   * and an occurrence to which a rule may apply rejects with the error of the reading.
   */
  mayApply(occurrence: FaultOccurrence): boolean | Promise<boolean> {
    const calledAt = this.#clock.monotonicMs();
    const ageMs = calledAt - this.#readAt;
    if (ageMs < readMsMax / 2) return this.#index.mayApply(occurrence);
    void this.#startReading();
    if (ageMs < readMsMax) return this.#index.mayApply(occurrence);
    return this.#failure === null ? this.#mayApplyOnceRead(occurrence, calledAt) : this.#mayApplyBlindly(occurrence);
  }

  /** Waits for lists that contain every change that was reported as done before the call. */
  async #mayApplyOnceRead(occurrence: FaultOccurrence, calledAt: number): Promise<boolean> {
    let cancel = (): void => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#clock.after(waitMsMax, () => {
        this.#failure ??= new Problem("unavailable", { text: "The fault rules could not be read in time" });
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
    return this.#mayApplyBlindly(occurrence);
  }

  /** Decides by the lists that were read last. Rejects when a rule may apply, but the lists cannot be read. */
  #mayApplyBlindly(occurrence: FaultOccurrence): boolean | Promise<boolean> {
    const mayApply = this.#index.mayApply(occurrence);
    return mayApply && this.#failure !== null ? Promise.reject(this.#failure) : mayApply;
  }

  /** Resolves when the reading in progress, or a new one, has ended; its failure is reported by the next occurrences. */
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
    this.#failure = null;
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
