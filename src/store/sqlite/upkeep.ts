import type { DatabaseSync, StatementSync } from "node:sqlite";
import { readNumber } from "./connection.ts";
import { Purge } from "./purge.ts";
import type { Writer } from "./writer.ts";

/** Length of one step: what a call that arrives meanwhile may have to wait. */
const stepMs = 4;
/** Free pages kept for what comes next rather than given back: 4 MB. */
const freePageCountKept = 1024;
/** Pages given back in one step. */
const freedPageCountPerStep = 128;

/** What the writer does when nobody waits for it: purge, forget old changes, give space back. */
export class Upkeep {
  readonly #database: DatabaseSync;
  readonly #writer: Writer;
  readonly #purge: Purge;
  readonly #freePages: StatementSync;
  #hasShrunk = false;

  constructor(database: DatabaseSync, writer: Writer) {
    this.#database = database;
    this.#writer = writer;
    this.#purge = new Purge(database);
    this.#freePages = database.prepare("pragma freelist_count");
  }

  /** One short step; false when nothing is left to do. */
  step(): boolean {
    // Losing a step to a power cut costs nothing but doing it again, so it need not wait for the medium.
    const synchronous = readNumber(this.#database, "pragma synchronous");
    this.#database.exec(`pragma synchronous = ${Math.min(1, synchronous)}`);
    try {
      return (
        this.#writer.transact(() => this.#purge.step(stepMs) || this.#writer.journal.forgetSome()) || this.#shrink()
      );
    } finally {
      this.#database.exec(`pragma synchronous = ${synchronous}`);
    }
  }

  #shrink(): boolean {
    const free = Number(this.#freePages.get()?.["freelist_count"]);
    if (free > freePageCountKept) {
      this.#database.exec(`pragma incremental_vacuum(${Math.min(freedPageCountPerStep, free - freePageCountKept)})`);
      this.#hasShrunk = true;
      return true;
    }
    // The file itself only becomes shorter when the log is copied into it.
    if (this.#hasShrunk) this.#database.exec("pragma wal_checkpoint(passive)");
    this.#hasShrunk = false;
    return false;
  }
}
