import { closeSync, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Name of the database within its directory. */
export const databaseFileName = "restante.db";

/**
 * Writes a consistent copy of the store in `directory` to `file`, which must not exist, whether or not a service is
 * running there. Blocks the calling thread for as long as that takes. Throws a plain `Error` for the operator when there
 * is no store, or when the file exists.
 */
export function backupDatabase(directory: string, file: string): void {
  copyDatabase(path.join(directory, databaseFileName), file);
}

/** Copies one database: one read transaction, free pages left out. The copy is on the medium when this returns. */
export function copyDatabase(database: string, file: string): void {
  if (statSync(database, { throwIfNoEntry: false }) === undefined) {
    throw new Error(`There is no database at ${database}`);
  }
  claim(file);
  try {
    using source = new DatabaseSync(database, { timeout: 5000 });
    source.prepare("vacuum into ?").run(file);
    sync(file);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** Makes the empty file that SQLite may fill, so that nobody else's is ever overwritten and nobody else can read it. */
function claim(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new Error(`The file ${file} exists; a backup never overwrites`, { cause: error });
    }
    throw error;
  }
}

function sync(file: string): void {
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
