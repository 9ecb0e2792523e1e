import type { Database, Session } from "./connection/database.ts";

/** Statement that was sent to a database. */
export interface Recorded {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Database that records every statement in order. */
export class RecordingDatabase implements Database {
  readonly #database: Database;
  readonly statements: Recorded[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    this.statements.push({
      sql,
      parameters: parameters.map((one) => (one instanceof Buffer ? Buffer.from(one) : one)),
    });
    return await this.#database.query<Row>(sql, parameters);
  }

  async transact<Result>(body: (session: Session) => Promise<Result>): Promise<Result> {
    return await this.#database.transact(async (session) => await body(this.#recorded(session)));
  }

  async read<Result>(settings: string, body: (session: Session) => Promise<Result>): Promise<Result> {
    this.statements.push({ sql: settings, parameters: [] });
    return await this.#database.read(settings, async (session) => await body(this.#recorded(session)));
  }

  #recorded(session: Session): Session {
    return {
      query: async <Row>(sql: string, parameters: readonly unknown[] = []) => {
        this.statements.push({ sql, parameters });
        return await session.query<Row>(sql, parameters);
      },
    };
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}
