import type { DatabaseSync } from "node:sqlite";
import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { BackupCalls, ReaderCalls, WriterCalls } from "./calls.ts";
import type { Indexing } from "../text-index/indexing.ts";
import type { Thread } from "./thread.ts";

/** What a store consists of. */
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
  /** Reporter of damage that reads meet; it recovers with a restart after a repair. */
  readonly damage: BackgroundTask;
  /** Whether mail is refused because the medium is full. */
  readonly isStorageFull: () => boolean;
  /** Called at the end, when nothing is open any more. */
  readonly release: () => void;
}
