import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Calls of the writer thread about approved phrases. */
export interface PhraseCalls {
  setPhrases(phrases: readonly string[]): void;
}

/** Queries of approved phrases. */
export class PhraseReads {
  readonly #areSet: StatementSync;
  readonly #all: StatementSync;

  constructor(database: DatabaseSync) {
    this.#areSet = database.prepare("select has_phrases from state");
    this.#all = database.prepare("select text from phrase order by position");
  }

  list(): readonly string[] | null {
    if (this.#areSet.get()?.["has_phrases"] !== 1) return null;
    return this.#all.all().map((row) => row["text"] as string);
  }
}

/** Changes of approved phrases, for use inside the writer's transaction. */
export class PhraseWrites implements PhraseCalls {
  readonly #note: StatementSync;
  readonly #clear: StatementSync;
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    this.#note = database.prepare("update state set has_phrases = 1");
    this.#clear = database.prepare("delete from phrase");
    this.#insert = database.prepare("insert into phrase (position, text) values (?, ?)");
  }

  setPhrases(phrases: readonly string[]): void {
    this.#note.run();
    this.#clear.run();
    for (const [position, text] of phrases.entries()) this.#insert.run(position, text);
  }
}
