import { Problem } from "../../../core/errors.ts";
import { wrapDatabase, type Database } from "./database.ts";

/**
 * Admits calls until it is closed, and waits for the admitted ones. Statements of an admitted call are executed after
 * closing began.
 */
export class OpenGate {
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  /** Runs one call; rejects with `unavailable` after closing. */
  async pass<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Problem("unavailable");
    const running = call();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  /** Rejects new calls; resolves when all admitted calls have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
  }
}

/** Returns the database with every call passing the gate. */
export function gated(database: Database, gate: OpenGate): Database {
  return wrapDatabase(database, async (call) => await gate.pass(call));
}
