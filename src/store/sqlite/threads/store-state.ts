/** Conditions of a store in which it rejects calls, as its threads report them. */
import type { BackgroundTasks } from "../../../core/background-tasks.ts";
import { Problem } from "../../../core/errors.ts";
import { corruptionAdvice } from "../connection/errors.ts";
import { growingCalls } from "../maintenance/storage-guard.ts";
import type { NoticeReceivers } from "./notices.ts";
import type { StoreParts } from "./store-parts.ts";

const lossAdvice =
  "mail and requests are rejected until it is back under its name; otherwise stop the service, put the data folder back or restore a backup, and start it";

/** Receivers of reports, and the conditions that follow from them. */
export interface StoreState
  extends
    Pick<NoticeReceivers, "onStorage" | "onFiles" | "onCorruption">,
    Pick<StoreParts, "isStorageFull" | "hasLostFiles"> {
  /** Returns the error with which a call of a thread is rejected before it reaches the thread. */
  readonly refusalOf: (thread: string, call: string) => Problem | undefined;
}

/** Creates the state of a store that works, and registers the tasks that report it. */
export function createStoreState(tasks: BackgroundTasks): StoreState {
  let isStorageFull = false;
  let hasLostFiles = false;
  let corruption: Error | undefined;
  const storage = tasks.register("storage", { degrades: "new mail is rejected because the disk is full" });
  const files = tasks.register("data_folder", {
    degrades: "mail and requests are rejected because files of the data folder were removed, renamed or replaced",
  });
  const pages = tasks.register("database_pages", {
    degrades: "new mail is rejected because pages of the database are damaged",
  });
  for (const task of [storage, files, pages]) task.succeeded();
  return {
    isStorageFull: () => isStorageFull,
    onStorage: (isFull) => {
      isStorageFull = isFull;
      if (isFull) storage.failed(new Error("no space left on the disk of the data directory"));
      else storage.succeeded();
    },
    hasLostFiles: () => hasLostFiles,
    onFiles: (lost) => {
      hasLostFiles = lost !== null;
      if (lost === null) files.succeeded();
      else files.failed(new Error(`${lost}; ${lossAdvice}`));
    },
    onCorruption: (error) => {
      corruption = new Error(`${error instanceof Error ? error.message : String(error)}: ${corruptionAdvice}`);
      pages.failed(corruption);
    },
    refusalOf: (thread, call) => {
      // The writer itself finds out whether files have their names again.
      if (hasLostFiles && thread !== "writer") return new Problem("unavailable");
      // Writes could damage further pages, and what cannot be read may not be found missing.
      if (corruption !== undefined && growingCalls.has(call)) return new Problem("data_damaged", { cause: corruption });
      return undefined;
    },
  };
}
