import type { DatabaseSync } from "node:sqlite";
import type { BackgroundTask } from "../../../core/background-tasks.ts";
import { Problem } from "../../../core/errors.ts";
import { isCorruption, toProblem } from "../connection/errors.ts";
import { Reads } from "./reads.ts";
import type { StoreParts } from "./store-parts.ts";

/** Reads on the connection of the thread that holds the sockets: for queries of a few milliseconds at most. */
export class LocalReads {
  readonly #database: DatabaseSync;
  readonly #damage: BackgroundTask;
  readonly #parts: Pick<StoreParts, "hasLostFiles" | "onCorruption">;
  readonly #reads: Reads;
  #isOpen = true;

  /** `damage` receives the damaged messages that reads find. */
  constructor(parts: Pick<StoreParts, "database" | "damage" | "hasLostFiles" | "onCorruption">) {
    const { database, damage } = parts;
    this.#database = database;
    this.#damage = damage;
    this.#parts = parts;
    this.#reads = new Reads(database, (problem) => this.reported(problem));
  }

  /** Runs reads on one snapshot. Throws `unavailable` once it is closed, and while files of the store have lost their names. */
  read<Result>(body: (reads: Reads) => Result): Result {
    this.requireOpen();
    return this.#read(body);
  }

  /** Runs reads like {@link read}, also of files that lost their names: so that a caller can sign in and read the reason. */
  readAccount<Result>(body: (reads: Pick<Reads, "records">) => Result): Result {
    if (!this.#isOpen) throw new Problem("unavailable");
    return this.#read(body);
  }

  #read<Result>(body: (reads: Reads) => Result): Result {
    try {
      return this.#reads.snapshot.read(() => body(this.#reads));
    } catch (error) {
      if (isCorruption(error)) this.#parts.onCorruption(error);
      throw this.reported(toProblem(error));
    }
  }

  /** Whether {@link read} can read. */
  get isOpen(): boolean {
    return this.#isOpen && !this.#parts.hasLostFiles();
  }

  /** Throws `unavailable` unless {@link isOpen}. */
  requireOpen(): void {
    if (!this.isOpen) throw new Problem("unavailable");
  }

  /** Calls a function, and reports damage that it finds. */
  async observed<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      throw this.reported(error);
    }
  }

  /** Reports damage to the registry of background tasks; returns the error. */
  reported(error: unknown): unknown {
    if (error instanceof Problem && error.code === "data_damaged") this.#damage.failed(error.cause ?? error);
    return error;
  }

  /** Makes later reads throw; the connection stays open until {@link close}. */
  stop(): void {
    this.#isOpen = false;
  }

  /** Closes the connection. */
  close(): void {
    this.stop();
    this.#database.close();
  }
}
