import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import { Problem } from "../../../core/errors.ts";
import { deserializeError, type SerializedError } from "../../threads/call-protocol.ts";
import { corruptionAdvice } from "../connection/errors.ts";
import { growingCalls } from "../maintenance/storage-guard.ts";
import type { Notice, WorkerTask, ReaderCalls, WriterCalls } from "./calls.ts";
import type { DatabaseSync } from "node:sqlite";
import type { Indexing } from "../text-index/indexing.ts";
import type { Thread } from "../../threads/thread.ts";

const lossAdvice =
  "mail and requests are rejected until it is back under its name; otherwise stop the service, put the data folder back or restore a backup, and start it";

/** Conditions in which a store rejects calls, as its threads and reads report them, and the tasks that tell them. */
export class StoreState {
  readonly #storage: BackgroundTask;
  readonly #files: BackgroundTask;
  readonly #pages: BackgroundTask;
  readonly #rounds: Readonly<Record<WorkerTask, BackgroundTask>>;
  /** Recovers with a restart after a repair. */
  readonly #damage: BackgroundTask;
  #isStorageFull = false;
  #hasLostFiles = false;
  #corruption: Error | undefined;

  /** Registers the tasks of a store that works. */
  constructor(tasks: BackgroundTasks) {
    this.#storage = tasks.register("storage", { degrades: "new mail is rejected because the disk is full" });
    this.#files = tasks.register("data_folder", {
      degrades: "mail and requests are rejected because files of the data folder were removed, renamed or replaced",
    });
    this.#pages = tasks.register("database_pages", {
      degrades: "new mail is rejected because pages of the database are damaged",
    });
    for (const task of [this.#storage, this.#files, this.#pages]) task.succeeded();
    this.#rounds = { purge: tasks.register("purge"), upkeep: tasks.register("upkeep") };
    this.#damage = tasks.register("stored_data", {
      degrades: "some stored messages are damaged and cannot be read",
    });
  }

  /** Whether mail is rejected because the disk is full. */
  get isStorageFull(): boolean {
    return this.#isStorageFull;
  }

  /** Whether all calls are rejected because files of the store lost their names. */
  get hasLostFiles(): boolean {
    return this.#hasLostFiles;
  }

  /** Returns the error with which a call of a thread is rejected before it reaches the thread. */
  refusalOf(thread: string, call: string): Problem | undefined {
    // The writer itself finds out whether files have their names again.
    if (this.#hasLostFiles && thread !== "writer") return new Problem("unavailable");
    // Writes could damage further pages, and what cannot be read may not be found missing.
    const cause = this.#corruption;
    return cause !== undefined && growingCalls.has(call) ? new Problem("data_damaged", { cause }) : undefined;
  }

  /** Must be called when a read or a background task failed because pages of the database are damaged. */
  readonly noticeCorruption = (error: unknown): void => {
    this.#corruption = new Error(`${error instanceof Error ? error.message : String(error)}: ${corruptionAdvice}`);
    this.#pages.failed(this.#corruption);
  };

  /** Reports damage that a read has found; returns the error. */
  reported(error: unknown): unknown {
    if (error instanceof Problem && error.code === "data_damaged") this.#damage.failed(error.cause ?? error);
    return error;
  }

  /** Receives a notice of a thread. */
  readonly receive = (notice: Notice): void => {
    if (notice.kind === "damage") {
      this.#damage.failed(causeOf(notice.error));
    } else if (notice.kind === "storage") {
      this.#isStorageFull = notice.isFull;
      report(this.#storage, notice.isFull ? "no space left on the disk of the data directory" : null);
    } else if (notice.kind === "files") {
      this.#hasLostFiles = notice.lost !== null;
      report(this.#files, notice.lost === null ? null : `${notice.lost}; ${lossAdvice}`);
    } else if (notice.error === null) {
      this.#rounds[notice.task].succeeded();
    } else {
      if (notice.error.isCorruption) this.noticeCorruption(causeOf(notice.error));
      this.#rounds[notice.task].failed(causeOf(notice.error), notice.retryInMs ?? undefined);
    }
  };
}

function report(task: BackgroundTask, failure: string | null): void {
  if (failure === null) task.succeeded();
  else task.failed(new Error(failure));
}

/** Returns the underlying error for the registry, instead of the one that callers may see. */
function causeOf(serialized: SerializedError): unknown {
  const error = deserializeError(serialized);
  return error.cause ?? error;
}

/** Components of a store. */
export interface StoreParts {
  readonly file: string;
  /** Read-only connection of the calling thread. */
  readonly database: DatabaseSync;
  readonly writer: Thread<WriterCalls>;
  readonly reader: Thread<ReaderCalls>;
  readonly indexing: Indexing;
  /** Registry that the threads and loops report to. */
  readonly tasks: BackgroundTasks;
  readonly state: StoreState;
  /** Called when everything is closed. */
  readonly release: () => void;
}
