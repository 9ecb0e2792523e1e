import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { ResourceLimits } from "node:worker_threads";
import { unobservedTasks, type BackgroundTasks } from "../../core/background-tasks.ts";
import type { ServerQuota } from "../../core/server.ts";
import { workerUrl } from "../../core/worker.ts";
import type { Store } from "../store.ts";
import type { IndexerSettings, WriterCalls } from "./threads/calls.ts";
import { connectReader, type WriterSettings } from "./connection/connection.ts";
import { prepareDatabase, writerSettings } from "./connection/database-file.ts";
import { defaultIndexSettings, type IndexSettings } from "./text-index/index-work.ts";
import { Indexing } from "./text-index/indexing.ts";
import { identityOf, lockDirectory } from "./connection/store-directory.ts";
import { isDiskFull } from "./connection/errors.ts";
import { Reserve } from "./maintenance/storage-guard.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import { type StoreParts, StoreState } from "./threads/store-state.ts";
import { takeEarlyWriter, threadLimits } from "./threads/early-writer.ts";
import { Thread, type StartedThread } from "../threads/thread.ts";

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions {
  /** Data directory, used by one process only; created with access for its owner only when it is missing. */
  readonly directory: string;
  /** Whether the store syncs commits to disk, to survive a power failure; false only for stores that may be lost. */
  readonly durable: boolean;
  /** Largest size of the database, beyond which calls reject with `storage_full`; by default limited by the disk. */
  readonly sizeBytesMax?: number;
  /** Quota of servers without their own; unlimited by default. */
  readonly quota?: ServerQuota;
  /** Settings of the text index; by default {@link defaultIndexSettings}. */
  readonly index?: IndexSettings;
  /** Registry of background tasks that threads and loops report to. */
  readonly tasks?: BackgroundTasks;
  /** Starts threads in place of the worker threads; for tests of what does not depend on threads. */
  readonly threads?: Partial<ThreadStarters>;
}

/** Functions that start threads with their settings. */
export interface ThreadStarters {
  writer(settings: WriterSettings): StartedThread;
  reader(settings: IndexerSettings): StartedThread;
  indexer(settings: IndexerSettings): StartedThread;
}

/** Heap limits of the indexer, whose arrays are outside of the heap; a small heap is collected more often. */
const indexerLimits: ResourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 3 };

/**
 * Opens the store in a directory, and creates it where there is none. Rejects with a plain `Error` for the operator when
 * another instance uses the directory, when the database is damaged, or when a newer program wrote it.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { store, ready } = startSqliteStore(options);
  try {
    await ready();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Store whose directory is locked and whose writer thread is starting. */
export interface StartingStore {
  /** To be closed by the caller, also when {@link ready} rejects. */
  readonly store: Store;
  /** Resolves when the store can be used; rejects as {@link openSqliteStore} does. To be called once. */
  readonly ready: () => Promise<void>;
}

/**
 * Locks the directory and starts the threads of {@link openSqliteStore}, so that the caller can work meanwhile. Throws what
 * `openSqliteStore` rejects with, with nothing left open.
 */
export function startSqliteStore(options: SqliteStoreOptions): StartingStore {
  const parts = openParts(options);
  // A full disk does not prevent the start: messages can still be read and deleted.
  const opened = parts.writer.call("ready", []);
  // Not unhandled: `ready` rejects with the error. A caller that fails before it calls `ready` reports its own error.
  opened.catch(() => undefined);
  return {
    store: createSqliteStore(parts),
    ready: async () => {
      await opened;
      parts.indexing.start();
    },
  };
}

/** Opens the components of a store, with the space of the reserve when the disk is full. Exported for tests. */
export function openParts(options: SqliteStoreOptions): StoreParts {
  const directory = path.resolve(options.directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    return openIn(directory, options);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    new Reserve(directory).release();
    return openIn(directory, options);
  }
}

function openIn(directory: string, options: SqliteStoreOptions): StoreParts {
  const release = lockDirectory(directory);
  const prepared = writerSettings(directory, options);
  const { file, recentGrams } = prepared;
  try {
    prepareDatabase(prepared);
    const identity = identityOf(file);
    if (identity === undefined) throw new Error(`The database ${file} was removed while the service started`);
    const settings: WriterSettings = { ...prepared, identity };
    const { index = defaultIndexSettings } = options;
    const reading: IndexerSettings = { file, index, recentGrams };
    const { tasks = unobservedTasks, threads = {} } = options;
    const thread = (module: string, workerSettings: unknown, degrades: string) => {
      const name = path.basename(module, "-worker");
      return {
        file: workerUrl(import.meta.url, module),
        name,
        settings: workerSettings,
        resourceLimits: threadLimits,
        task: tasks.register(`${name}_thread`, { degrades }),
        refusalOf: (call: string) => state.refusalOf(name, call),
        onNotice: state.receive,
        onCorruption: state.noticeCorruption,
      };
    };
    const database = connectReader(file);
    const state = new StoreState(tasks);
    const writer = new Thread<WriterCalls>({
      ...thread("threads/writer-worker", settings, "mail is rejected"),
      takeStarted: () => threads.writer?.(settings) ?? takeEarlyWriter(settings),
    });
    return {
      file,
      database,
      tasks,
      writer,
      state,
      indexing: prepareIndexing(reading, { database, writer, tasks, state }, threads.indexer),
      reader: new Thread({
        ...thread("threads/reader-worker", reading, "searches and exports fail"),
        takeStarted: () => threads.reader?.(reading),
      }),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

function prepareIndexing(
  settings: IndexerSettings,
  { database, writer, tasks, state }: Pick<StoreParts, "database" | "writer" | "tasks" | "state">,
  startThread: ThreadStarters["indexer"] | undefined,
): Indexing {
  const { index } = settings;
  // Segments count messages that were deleted since, so that this is a lower bound.
  const unindexed = database.prepare(
    `select coalesce(sum(received_count + sent_count), 0) -
       (select coalesce(sum(size), 0) from text_segment where state = 1) as count
     from server where received_count + sent_count >= ?`,
  );
  const large = database.prepare("select 1 from server where received_count + sent_count >= ? limit 1");
  return new Indexing({
    settings: index,
    startIndexer: () =>
      new Thread({
        file: workerUrl(import.meta.url, "text-index/indexer-worker"),
        name: "indexer",
        settings,
        resourceLimits: indexerLimits,
        onNotice: state.receive,
        refusalOf: (call) => state.refusalOf("indexer", call),
        onCorruption: state.noticeCorruption,
        takeStarted: () => startThread?.(settings),
      }),
    writer,
    tasks,
    countUnindexed: () => Number(unindexed.get(index.serverMessageCountMin)?.["count"]),
    now: () => performance.now(),
    pause: async (durationMs, signal) => {
      // Rejects only when the signal aborts, which the calling loop checks.
      await setTimeout(durationMs, undefined, { signal }).catch(() => undefined);
    },
    isNeeded: () => large.get(index.serverMessageCountMin) !== undefined,
  });
}
