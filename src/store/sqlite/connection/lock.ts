import { chmodSync, closeSync, fsyncSync, openSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteResult } from "./errors.ts";

/** Name of the file in a data directory that the instance using it has locked. */
export const lockFileName = "restante.lock";
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
