import { closeSync, openSync, readFileSync, rmSync, statSync, appendFileSync, fstatSync, readSync } from "node:fs";
import { databaseFileName, syncFile } from "../connection/store-directory.ts";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createHash } from "node:crypto";

/** Table of a backup with the files beside the database; plain copies of the database have none. */
export const backupFileTable = "backup_file";

/** Name of an entry of {@link backupFileTable} that says that a checksum follows the database. */
export const checksumNote = ".sha256";

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

/**
 * Mark of the checksum, which follows the pages of the database: SQLite ignores what is behind them. The checksum is the
 * SHA-256 of everything before it and of the mark.
 */
const mark = Buffer.from("restante:sha256:");
/** Length of the checksum with its mark. */
export const trailerBytes: number = mark.length + 32;
const readBytes = 1024 * 1024;
const pageBytesMin = 512;

/** State of the checksum of a backup: `absent` for plain copies of a database. */
export type ChecksumState = "correct" | "wrong" | "absent";

/** Appends the checksum to a complete backup. */
function appendChecksum(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    appendFileSync(file, Buffer.concat([mark, digestOf(descriptor, fstatSync(descriptor).size)]));
  } finally {
    closeSync(descriptor);
  }
}

/** Verifies the checksum of a backup; reads the whole file. */
export function verifyChecksum(file: string): ChecksumState {
  const descriptor = openSync(file, "r");
  try {
    const length = fstatSync(descriptor).size - trailerBytes;
    // Pages have 512 bytes at least: behind them there is only a checksum.
    if (length < 0 || (length + trailerBytes) % pageBytesMin === 0) return "absent";
    const trailer = Buffer.alloc(trailerBytes);
    readSync(descriptor, trailer, 0, trailerBytes, length);
    const isCorrect = trailer.equals(Buffer.concat([mark, digestOf(descriptor, length)]));
    return isCorrect ? "correct" : "wrong";
  } finally {
    closeSync(descriptor);
  }
}

function digestOf(descriptor: number, length: number): Buffer {
  const hash = createHash("sha256").update(mark);
  const buffer = Buffer.alloc(Math.min(readBytes, length));
  for (let at = 0; at < length;) {
    const count = readSync(descriptor, buffer, 0, Math.min(buffer.length, length - at), at);
    if (count === 0) break;
    hash.update(buffer.subarray(0, count));
    at += count;
  }
  return hash.digest();
}
