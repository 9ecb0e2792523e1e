import type { DatabaseSync } from "node:sqlite";
import type { BackgroundTasks } from "../../../core/background-tasks.ts";
import type { ReaderCalls, WriterCalls } from "./calls.ts";
import type { Indexing } from "../text-index/indexing.ts";
import type { StoreState } from "./store-state.ts";
import type { Thread } from "../../threads/thread.ts";

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
