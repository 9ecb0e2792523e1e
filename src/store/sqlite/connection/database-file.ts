/** Creation of the database file, and checks that it is a complete database of this program. */
import { chmodSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { noQuota, type ServerQuota } from "../../../core/server.ts";
import { createRecentGramMemory } from "../../signatures/recent-grams.ts";
import { databaseFileName, ensurePrivateFile, syncFile } from "./store-directory.ts";
import { requireAllCommits } from "./commit-count.ts";
import { connectWriter, readNumber, type WriterSettings } from "./connection.ts";
import { corruptionAdvice, isCorruption } from "./errors.ts";
import { migrate } from "../schema/schema.ts";

/** Returns the settings of the writer thread of a store in a directory, with new memory for its searches. */
export function writerSettings(
  directory: string,
  { durable, sizeBytesMax = null, quota = noQuota }: WriterOptions,
): WriterSettings & Required<Pick<WriterSettings, "recentGrams">> {
  const file = path.join(directory, databaseFileName);
  return { file, durable, sizeBytesMax, quota, recentGrams: createRecentGramMemory() };
}

/** Options of a store that its writer has. */
interface WriterOptions {
  readonly durable: boolean;
  readonly sizeBytesMax?: number | null;
  readonly quota?: ServerQuota;
}

/**
 * Makes sure, before any thread opens it, that the file is a complete database of the current schema; creates it where there
 * is none. Throws a plain `Error` for the operator when the file is empty, damaged, of another program, of a newer
 * version, or missing while its write-ahead log is still there.
 */
export function prepareDatabase(settings: WriterSettings): void {
  const { file } = settings;
  const size = sizeOf(file);
  if (size === undefined) {
    createDatabase(settings);
    return;
  }
  if (size === 0) {
    throw new Error(
      `The database ${file} is empty (0 bytes), so it was truncated; restore it from a backup, or remove the file to start with an empty store`,
    );
  }
  chmodSync(file, 0o600);
  migrateFile(settings);
}

/**
 * Creates the database under another name and renames it when it is complete and synced, so that an interrupted
 * start never leaves an empty database behind.
 */
function createDatabase(settings: WriterSettings): void {
  const { file } = settings;
  if ((sizeOf(`${file}-wal`) ?? 0) > 0) {
    throw new Error(
      `The database ${file} is missing, but its write-ahead log ${file}-wal is there; restore both from a backup, or remove the log to start with an empty store`,
    );
  }
  const draft = `${file}.new`;
  for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(`${draft}${ending}`, { force: true });
  ensurePrivateFile(draft);
  migrateFile({ ...settings, file: draft, durable: false });
  if (settings.durable) syncFile(draft);
  renameSync(draft, file);
  if (settings.durable) syncFile(path.dirname(file));
}

function migrateFile(settings: WriterSettings): void {
  try {
    using database = connectWriter({ ...settings, sizeBytesMax: null });
    migrate(database);
    requireAllCommits(database, settings.file);
    readNumber(database, "select count(*) from sqlite_schema");
  } catch (error) {
    if (!isCorruption(error)) throw error;
    throw new Error(`The database ${settings.file} is damaged (${String(error)}): ${corruptionAdvice}`, {
      cause: error,
    });
  }
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
