import { Problem } from "../../../core/errors.ts";
import type { Database, Session } from "./database.ts";

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
  return {
    query: async <Row>(sql: string, parameters?: readonly unknown[]) =>
      await gate.pass(async () => await database.query<Row>(sql, parameters)),
    transact: async <Result>(body: (session: Session) => Promise<Result>) =>
      await gate.pass(async () => await database.transact(body)),
    read: async <Result>(settings: string, body: (session: Session) => Promise<Result>) =>
      await gate.pass(async () => await database.read(settings, body)),
    close: async () => {
      await database.close();
    },
  };
}
