/** Files of a data directory: its lock, and the names of the files that a store has open. */
import { chmodSync, closeSync, fsyncSync, openSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteResult } from "./errors.ts";

/** Name of the file in a data directory that the instance using it has locked. */
const lockFileName = "restante.lock";
const busyResult = 5;

/** Creates an empty file readable to its owner only, or changes an existing one to that mode. */
export function ensurePrivateFile(file: string): void {
  try {
    // "x", never "a": closing a second descriptor of a file would drop the locks that this process holds on it.
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    // Not `instanceof`: in Jest, errors of Node are of another realm.
    if ((error as { readonly code?: unknown }).code !== "EEXIST") throw error;
    chmodSync(file, 0o600);
  }
}

/** Waits until a file, or the names in a directory, are on the disk. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Locks a directory for this process until the returned function is called or the process exits, for any reason: the
 * operating system releases the lock. Throws a plain `Error` that names the directory when another holds it.
 */
export function lockDirectory(directory: string): () => void {
  const release = tryLockDirectory(directory);
  if (release !== undefined) return release;
  throw new Error(`Another instance is using the directory ${directory}: stop it, or choose another directory`);
}

/** Locks a directory as {@link lockDirectory} does; returns undefined when it is locked already. */
export function tryLockDirectory(directory: string): (() => void) | undefined {
  const file = path.join(directory, lockFileName);
  ensurePrivateFile(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec("pragma journal_mode = memory; begin exclusive");
  } catch (error) {
    lock.close();
    if (sqliteResult(error) !== busyResult) throw error;
    return undefined;
  }
  return () => {
    lock.close();
  };
}

/** Device and inode of a file, by which a replaced file is recognised. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** Returns the identity of the file with this name now; undefined when there is none. */
export function identityOf(file: string): FileIdentity | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : { device: found.dev, inode: found.ino };
}

/**
 * Names of the files that a store has open. The operating system lets a program write to files whose names were removed or
 * given to other files; what it writes there is lost when it exits. A check takes 2.5 µs.
 */
export class FileNames {
  readonly #files: readonly { readonly file: string; readonly identity: FileIdentity }[];

  /** To be created while a connection has the database and its log open. `identity` is that of the database at the start. */
  constructor(database: string, identity: FileIdentity) {
    const others = [`${database}-wal`, `${database}-shm`, path.join(path.dirname(database), lockFileName)];
    this.#files = [
      { file: database, identity },
      ...others.flatMap((file) => {
        const found = identityOf(file);
        return found === undefined ? [] : [{ file, identity: found }];
      }),
    ];
  }

  /** Returns the description of a file that no longer has its name; undefined when all have. */
  findLost(): string | undefined {
    for (const { file, identity } of this.#files) {
      const lost = describeLoss(file, identity);
      if (lost !== undefined) return lost;
    }
    return undefined;
  }
}

/** Returns the description of the loss when the file with this name is not the one with the identity; undefined otherwise. */
export function describeLoss(file: string, identity: FileIdentity): string | undefined {
  try {
    const found = identityOf(file);
    if (found === undefined) return `${file} was removed or renamed`;
    if (found.device === identity.device && found.inode === identity.inode) return undefined;
    return `${file} was replaced by another file`;
  } catch (error) {
    return `${file} cannot be found (${String(error)})`;
  }
}

/** Name of the database within its directory. */
export const databaseFileName = "restante.db";
