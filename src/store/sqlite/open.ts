import { mkdirSync } from "node:fs";
import path from "node:path";
import type { ResourceLimits } from "node:worker_threads";
import type { Store } from "../store.ts";
import { databaseFileName } from "./backup.ts";
import { connectReader, connectWriter, readNumber } from "./connection.ts";
import type { WriterSettings } from "./connection.ts";
import { sqliteResult } from "./faults.ts";
import { ensurePrivateFile, lockDirectory } from "./lock.ts";
import { migrate } from "./schema.ts";
import { SqliteStore } from "./sqlite-store.ts";
import type { StoreParts } from "./sqlite-store.ts";
import { Thread } from "./thread.ts";

/** Where a store lies and how safe it is. */
export interface SqliteStoreOptions {
  /** Made when it is missing, for its owner only; nothing else may use it. */
  readonly directory: string;
  /** Whether a commit outlives a power cut; false only where losing the store costs nothing. */
  readonly durable: boolean;
  /** Size that the database may grow to before `storage_full`; by default what the medium holds. */
  readonly sizeBytesMax?: number;
}

/** Bodies and raw mails lie outside of these heaps; what is in them is small. */
const threadLimits: ResourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

const damagedResults: ReadonlySet<number> = new Set([11, 26]); // SQLITE_CORRUPT, SQLITE_NOTADB

/**
 * Opens the store in a directory, and makes it where there is none. Rejects with a plain `Error` for the operator when
 * another instance uses the directory, when the database is damaged, or when a newer program wrote it.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const parts = openParts(options);
  const store = new SqliteStore(parts);
  try {
    // A full medium is no reason to refuse: what is there can be read, and deleted.
    await parts.writer.call("ready", []);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What {@link openSqliteStore} makes a store from; for whoever needs to reach behind it. */
export function openParts(options: SqliteStoreOptions): StoreParts {
  const directory = path.resolve(options.directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const release = lockDirectory(directory);
  const file = path.join(directory, databaseFileName);
  const settings: WriterSettings = { file, durable: options.durable, sizeBytesMax: options.sizeBytesMax ?? null };
  try {
    ensurePrivateFile(file);
    prepare(settings);
    const thread = (worker: string) => ({ worker, settings, resourceLimits: threadLimits });
    return {
      file,
      database: connectReader(file),
      writer: new Thread(thread("writer-worker")),
      reader: new Thread(thread("reader-worker")),
      backups: new Thread(thread("backup-worker")),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Makes sure, before any thread relies on it, that the file is a whole database of the present schema. */
function prepare(settings: WriterSettings): void {
  try {
    using database = connectWriter({ ...settings, sizeBytesMax: null });
    migrate(database);
    readNumber(database, "select count(*) from sqlite_schema");
  } catch (error) {
    if (!damagedResults.has((sqliteResult(error) ?? 0) & 0xff)) throw error;
    throw new Error(`The database ${settings.file} is damaged (${String(error)}); restore it from a backup`, {
      cause: error,
    });
  }
}
