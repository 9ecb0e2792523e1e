import { Problem } from "../../../core/errors.ts";
import type { Database, Session } from "./database.ts";

/**
 * Lets calls through to a database until it is closed, and knows when the last of them has ended. What a call asks after
 * the closing began is still answered: it was accepted.
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

  /** Resolves when every call that passed has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
  }
}

/** A database whose every call passes a gate. */
export function gated(database: Database, gate: OpenGate): Database {
  return {
    query: async <Row>(sql: string, parameters?: readonly unknown[]) =>
      await gate.pass(async () => await database.query<Row>(sql, parameters)),
    transact: async <Result>(body: (session: Session) => Promise<Result>) =>
      await gate.pass(async () => await database.transact(body)),
    close: async () => {
      await database.close();
    },
  };
}
