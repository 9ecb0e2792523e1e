/** Empty databases for tests, which open hundreds of stores. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { databaseFileName } from "./connection/store-directory.ts";
import { prepareDatabase } from "./connection/database-file.ts";

let emptyDatabase: Buffer | undefined;

/**
 * Creates a directory with an empty database of the current schema, for tests that are not about migrations: a copy takes
 * 1 ms.
 */
export function directoryWithDatabase(prefix: string): string {
  const directory = mkdtempSync(path.join(tmpdir(), prefix));
  emptyDatabase ??= createDatabase();
  writeFileSync(path.join(directory, databaseFileName), emptyDatabase, { mode: 0o600 });
  return directory;
}

function createDatabase(): Buffer {
  const directory = mkdtempSync(path.join(tmpdir(), "restante-new-"));
  try {
    const file = path.join(directory, databaseFileName);
    prepareDatabase({ file, durable: false, sizeBytesMax: null });
    return readFileSync(file);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
