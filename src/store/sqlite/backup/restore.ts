/** Restores data directories from backups. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { trailerBytes, verifyChecksum, backupFileTable, checksumNote } from "./backup.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { sqliteResult } from "../connection/errors.ts";
import { migrate, requireOwnDatabase } from "../schema/schema.ts";

/** Options of {@link restoreFolder}. */
export interface RestoreOptions {
  /** Names of the files that may be restored beside the database. */
  readonly names: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Restores a data directory from a backup, or from a plain copy of a database: the database, and those of the `names`
 * files that the backup contains, readable by their owner only. Migrates the database, and gives its servers new UIDVALIDITYs,
 * because the numbers of the changes that were made after the backup are used again. Returns the names of the restored files. Throws a plain
 * `Error` for the operator, without writing anything, when the directory is not empty, or when the file is damaged or
 * not a backup.
 */
export function restoreFolder(backup: string, directory: string, options: RestoreOptions): readonly string[] {
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() !== true)
    throw new Error(`There is no backup at ${backup}`);
  requireWhole(backup);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (readdirSync(directory).length > 0) {
    throw new Error(
      `${directory} is not empty, and a restore does not overwrite files: stop the service and move the directory away, or pass another one with --data-dir`,
    );
  }
  chmodSync(directory, 0o700);
  try {
    return putBack(backup, directory, options);
  } catch (error) {
    for (const name of readdirSync(directory)) rmSync(path.join(directory, name), { recursive: true, force: true });
    throw error;
  }
}

function putBack(backup: string, directory: string, { names, now }: RestoreOptions): readonly string[] {
  const draft = path.join(directory, `${databaseFileName}.new`);
  writeFileSync(draft, "", { mode: 0o600 });
  copyFileSync(backup, draft);
  chmodSync(draft, 0o600);
  if (verifyChecksum(draft) === "correct") truncateSync(draft, statSync(draft).size - trailerBytes);
  const restored: string[] = [];
  {
    using database = new DatabaseSync(draft);
    database.exec("pragma synchronous = full; pragma secure_delete = on");
    if (hasFiles(database)) {
      for (const row of database.prepare(`select name, bytes from ${backupFileTable} order by name`).all()) {
        const name = String(row["name"]);
        // A backup determines the content of files, not their location.
        if (!names.includes(name)) continue;
        const file = path.join(directory, name);
        mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, row["bytes"] as Uint8Array, { mode: 0o600, flush: true });
        restored.push(name);
      }
      database.exec(`drop table ${backupFileTable}`);
    }
    migrate(database);
    renewUidValidity(database, Math.floor(now / 1000));
  }
  renameSync(draft, path.join(directory, databaseFileName));
  return restored;
}

/** Gives all servers a new UIDVALIDITY, of at least `least`, because numbers of changes may be used again. */
export function renewUidValidity(database: DatabaseSync, least: number): void {
  const statement = "update state set uid_validity = max(uid_validity + 1, ?) returning uid_validity as value";
  const value = Number(database.prepare(statement).get(least)?.["value"]);
  database.prepare("update server set uid_validity = ?").run(value);
}

function hasFiles(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_schema where name = ?").get(backupFileTable) !== undefined;
}

function requireWhole(backup: string): void {
  const checksum = verifyChecksum(backup);
  if (checksum === "wrong") throw new Error(`The backup ${backup} is damaged: its checksum is wrong; ${otherBackup}`);
  try {
    using database = new DatabaseSync(backup, { readOnly: true });
    requireOwnDatabase(database);
    const hasNote = hasFiles(database) && hasChecksumNote(database);
    if (checksum === "absent" && (hasNote || isTruncated(database, backup)))
      throw new Error(`The backup ${backup} is damaged: its end is missing; ${otherBackup}`);
    const [row] = database.prepare("pragma quick_check(1)").all();
    if (row?.["quick_check"] !== "ok")
      throw new Error(`The backup ${backup} is damaged: ${String(row?.["quick_check"])}; ${otherBackup}`);
  } catch (error) {
    if (sqliteResult(error) === undefined) throw error;
    throw new Error(`The file ${backup} is not a backup, or it is damaged (${String(error)}); ${otherBackup}`, {
      cause: error,
    });
  }
}

const otherBackup = "nothing was restored; use another backup";

function hasChecksumNote(database: DatabaseSync): boolean {
  return database.prepare(`select 1 from ${backupFileTable} where name = ?`).get(checksumNote) !== undefined;
}

/** Whether a file is shorter than the database in it. */
function isTruncated(database: DatabaseSync, file: string): boolean {
  const pageBytes = Number(database.prepare("pragma page_size").get()?.["page_size"]);
  const header = Buffer.alloc(databaseHeaderBytes);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  // The number of pages is valid when the two counters of changes are equal (sqlite.org/fileformat2.html §1.3.7).
  const isValid = header.readUInt32BE(24) === header.readUInt32BE(92);
  return isValid && header.readUInt32BE(28) * pageBytes > statSync(file).size;
}

const databaseHeaderBytes = 100;
