import type { DatabaseSync } from "node:sqlite";
import { Problem } from "../../../core/errors.ts";
import { isCorruption, toProblem } from "../connection/errors.ts";
import { Reads } from "./reads.ts";
import type { StoreParts, StoreState } from "./store-state.ts";

/** Reads on the connection of the thread that holds the sockets: for queries of a few milliseconds at most. */
export class LocalReads {
  readonly #database: DatabaseSync;
  readonly #state: StoreState;
  readonly #reads: Reads;
  #isOpen = true;

  constructor({ database, state }: Pick<StoreParts, "database" | "state">) {
    this.#database = database;
    this.#state = state;
    this.#reads = new Reads(database, (problem) => state.reported(problem));
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
      if (isCorruption(error)) this.#state.noticeCorruption(error);
      throw this.reported(toProblem(error));
    }
  }

  /** Whether {@link read} can read. */
  get isOpen(): boolean {
    return this.#isOpen && !this.#state.hasLostFiles;
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
    return this.#state.reported(error);
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
