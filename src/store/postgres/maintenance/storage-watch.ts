import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { wrapDatabase, type Database } from "../connection/database.ts";

/** Pause between two attempts to write while the disk is full. */
const probePauseMs = 5000;

/**
 * Allocates 128 KB on the disk of the database and releases them. A temporary table in the default tablespace extends a
 * file as any other table does, and needs no further permission.
 */
const probe = `
  set local temp_tablespaces = '';
  create temporary table restante_probe (filler bytea) on commit drop;
  alter table restante_probe alter column filler set storage plain;
  insert into restante_probe select convert_to(repeat('x', 4000), 'UTF8') from generate_series(1, 32)`;

/**
 * Watches a database for errors of a full disk (SQLSTATE 53100). The first one is reported to the task
 * `storage` and starts probes; the first probe that can write reports that the disk has space again.
 */
export class StorageWatch {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #task: BackgroundTask;
  #isFull = false;
  #isClosed = false;
  #cancelProbe: () => void = () => undefined;
  #probing: Promise<void> | undefined;

  constructor(database: Database, clock: Clock, tasks: BackgroundTasks) {
    this.#database = database;
    this.#clock = clock;
    this.#task = tasks.register("storage", {
      degrades: "new mail is rejected because the database disk is full",
    });
    this.#task.succeeded();
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Throws `storage_full` while the disk is full. */
  requireSpace(): void {
    if (this.#isFull) throw new Problem("storage_full");
  }

  /** Returns the database with every call watched. Closing it closes the watch first. */
  watched(): Database {
    const close = async (): Promise<void> => {
      await this.#close();
      await this.#database.close();
    };
    return wrapDatabase(this.#database, async (call) => await this.#watch(call()), close);
  }

  async #watch<Result>(call: Promise<Result>): Promise<Result> {
    try {
      return await call;
    } catch (error) {
      if (isStorageFull(error)) this.#enter(error);
      throw error;
    }
  }

  #enter(error: unknown): void {
    if (this.#isFull || this.#isClosed) return;
    this.#isFull = true;
    this.#task.failed(error instanceof Problem ? (error.cause ?? error) : error, probePauseMs);
    this.#scheduleProbe();
  }

  #scheduleProbe(): void {
    if (this.#isClosed) return;
    this.#cancelProbe = this.#clock.after(probePauseMs, () => {
      this.#probing = this.#probe();
    });
  }

  async #probe(): Promise<void> {
    try {
      await this.#database.transact((session) => session.query(probe));
    } catch {
      // Still full, or unreachable, which callers and the connection pool report.
      this.#scheduleProbe();
      return;
    }
    this.#isFull = false;
    this.#task.succeeded();
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelProbe();
    await this.#probing;
    this.#task.end();
  }
}

function isStorageFull(error: unknown): boolean {
  return error instanceof Problem && error.code === "storage_full";
}
