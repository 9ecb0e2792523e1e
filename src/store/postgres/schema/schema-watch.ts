import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { wrapDatabase, type Database } from "../connection/database.ts";
import { requireUsableSchema, watchMs } from "./schema.ts";

/**
 * Watches the schema of a database while nodes of a newer release may migrate it. A node goes on after a migration that suits
 * older programs. Before another kind of migration, `migrate` announces it; from then on, calls reject with `unavailable`, and
 * the task `schema` has the reason.
 */
export class SchemaWatch {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #task: BackgroundTask;
  #refusal: Error | undefined;
  #isClosed = false;
  #cancel: () => void = () => undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(database: Database, clock: Clock, tasks: BackgroundTasks) {
    this.#database = database;
    this.#clock = clock;
    this.#task = tasks.register("schema", {
      degrades: "mail is deferred and requests fail because a newer release has migrated the database",
    });
    this.#task.succeeded();
    this.#schedule();
  }

  /** Returns the database, whose calls reject while its schema cannot be used. Closing it closes the watch first. */
  watched(): Database {
    const close = async (): Promise<void> => {
      this.#isClosed = true;
      this.#cancel();
      await this.#reading;
      this.#task.end();
      await this.#database.close();
    };
    return wrapDatabase(this.#database, async (call) => await this.#pass(call), close);
  }

  async #pass<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#refusal !== undefined) throw new Problem("unavailable", { cause: this.#refusal });
    return await call();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#clock.after(watchMs, () => {
      this.#reading = this.#read().finally(() => {
        this.#schedule();
      });
    });
  }

  async #read(): Promise<void> {
    try {
      await requireUsableSchema(this.#database);
      this.#refusal = undefined;
      this.#task.succeeded();
    } catch (error) {
      // The database is unreachable, which the connection pool reports.
      if (!(error instanceof Error) || error instanceof Problem) return;
      this.#refusal = error;
      this.#task.failed(error, watchMs);
    }
  }
}
