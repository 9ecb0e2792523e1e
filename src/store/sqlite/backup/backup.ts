import { closeSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { syncFile } from "../connection/lock.ts";
import { appendChecksum } from "./backup-checksum.ts";

/** Table of a backup with the files beside the database; plain copies of the database have none. */
export const backupFileTable = "backup_file";

/** Name of an entry of {@link backupFileTable} that says that a checksum follows the database. */
export const checksumNote = ".sha256";

/** Name of the database within its directory. */
export const databaseFileName = "restante.db";

/**
 * Writes a consistent copy of the store in `directory` to `file`, in one read transaction and without free pages; works while
 * a service is running. Blocks the calling thread until the copy is synced to disk. Throws a plain `Error` for the operator when
 * there is no store, or when `file` exists.
 */
export function backupDatabase(directory: string, file: string): void {
  const database = path.join(directory, databaseFileName);
  if (statSync(database, { throwIfNoEntry: false }) === undefined) {
    throw new Error(`There is no database at ${database}`);
  }
  claim(file);
  try {
    using source = new DatabaseSync(database, { timeout: 5000 });
    source.prepare("vacuum into ?").run(file);
    syncFile(file);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/**
 * Backs up a directory like {@link backupDatabase}, including those of the `names` files that exist. Only the owner
 * can read the backup, which ends with a checksum. Removes the incomplete backup when it fails.
 */
export function backupFolder(directory: string, file: string, names: readonly string[]): void {
  backupDatabase(directory, file);
  try {
    addFiles(file, directory, names);
    appendChecksum(file);
    syncFile(file);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function addFiles(backup: string, directory: string, names: readonly string[]): void {
  using database = new DatabaseSync(backup);
  database.exec(`create table ${backupFileTable} (name text primary key, bytes blob not null) strict`);
  const insert = database.prepare(`insert into ${backupFileTable} (name, bytes) values (?, ?)`);
  insert.run(checksumNote, new Uint8Array(0));
  for (const name of names) {
    const from = path.join(directory, name);
    if (statSync(from, { throwIfNoEntry: false })?.isFile() === true) insert.run(name, readFileSync(from));
  }
}

/** Creates an empty file that only its owner can read, for SQLite to fill. Never overwrites an existing file. */
function claim(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new Error(`The file ${file} already exists; choose another file name`, { cause: error });
    }
    throw error;
  }
}
