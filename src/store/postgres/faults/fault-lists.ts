import type { Clock } from "../../../core/clock.ts";
import type { FaultOccurrence } from "../../../core/fault.ts";
import type { ServerId } from "../../../core/ids.ts";
import { FaultIndex } from "../../fault-index.ts";
import type { FaultKeys } from "../../fault-store.ts";
import type { Database } from "../connection/database.ts";
import { serverIdOf } from "../messages/id-slots.ts";
import { VersionedRows, type VersionedRow } from "../nodes/versioned-rows.ts";

/** `server_id` of rules of the service. */
export const serviceNumber = -1;

interface ListRow extends VersionedRow {
  readonly server_id: number;
  readonly keys: string;
}

/** Stages and client addresses for which rules exist, read from the database while there is traffic. */
export class FaultLists {
  readonly #index = new FaultIndex();
  readonly #rows: VersionedRows<ListRow>;

  constructor(database: Database, clock: Clock) {
    this.#rows = new VersionedRows<ListRow>({
      database,
      clock,
      name: "The fault rules",
      query: "select server_id, version, keys from fault_list where version > $1 order by version",
      apply: ({ server_id: number, keys }) => {
        this.#index.set(serverOf(number), JSON.parse(keys) as readonly FaultKeys[]);
      },
    });
  }

  /**
   * Whether a rule may apply to an occurrence; a promise when the lists must be read first. While they cannot be read, the
   * lists that were read last decide without a wait, and an occurrence to which a rule may apply rejects with the error of
   * the reading.
   */
  mayApply(occurrence: FaultOccurrence): boolean | Promise<boolean> {
    const failure = this.#rows.refresh();
    return failure instanceof Promise
      ? failure.then((later) => this.#mayApplyAfter(later, occurrence))
      : this.#mayApplyAfter(failure, occurrence);
  }

  #mayApplyAfter(failure: Error | null, occurrence: FaultOccurrence): boolean | Promise<boolean> {
    const mayApply = this.#index.mayApply(occurrence);
    return mayApply && failure !== null ? Promise.reject(failure) : mayApply;
  }

  /** Reads what has changed since the last time. */
  async read(): Promise<void> {
    await this.#rows.read();
  }

  /** Resolves when every node has read a change that is committed. */
  async readEverywhere(): Promise<void> {
    await this.#rows.readEverywhere();
  }
}

/** Returns the server of a number; null for the service. */
export function serverOf(number: number): ServerId | null {
  return number === serviceNumber ? null : serverIdOf(number);
}
