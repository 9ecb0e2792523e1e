import type { DatabaseSync } from "node:sqlite";
import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { BackupCalls, ReaderCalls, WriterCalls } from "./calls.ts";
import type { Indexing } from "../text-index/indexing.ts";
import type { Thread } from "../../threads/thread.ts";

/** Components of a store. */
export interface StoreParts {
  readonly file: string;
  /** Read-only connection of the calling thread. */
  readonly database: DatabaseSync;
  readonly writer: Thread<WriterCalls>;
  readonly reader: Thread<ReaderCalls>;
  readonly backups: Thread<BackupCalls>;
  readonly indexing: Indexing;
  /** Registry that the threads and loops report to. */
  readonly tasks: BackgroundTasks;
  /** Reporter of damage that reads find; it recovers with a restart after a repair. */
  readonly damage: BackgroundTask;
  /** Returns whether mail is rejected because the disk is full. */
  readonly isStorageFull: () => boolean;
  /** Returns whether all calls are rejected because files of the store lost their names. */
  readonly hasLostFiles: () => boolean;
  /** Called when a read failed because pages of the database are damaged. */
  readonly onCorruption: (error: unknown) => void;
  /** Called when everything is closed. */
  readonly release: () => void;
}
