import type { PhraseStore } from "../../permission-stores.ts";
import type { Database } from "../connection/database.ts";

/** The phrases that a text may consist of, in one row. */
export class Phrases implements PhraseStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async getPhrases(): Promise<readonly string[] | null> {
    const [row] = await this.#database.query<{ phrases: string | null }>("select phrases from state");
    return row?.phrases === null || row === undefined ? null : (JSON.parse(row.phrases) as readonly string[]);
  }

  async setPhrases(phrases: readonly string[]): Promise<void> {
    await this.#database.query("update state set phrases = $1", [JSON.stringify(phrases)]);
  }
}
