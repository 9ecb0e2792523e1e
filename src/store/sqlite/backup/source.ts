import { statSync } from "node:fs";
import path from "node:path";
import { Problem } from "../../../core/errors.ts";
import { createContentStore } from "../../content/content-store.ts";
import type { StoreSource } from "../../store-source.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { readRecords } from "../account/record-stores.ts";
import { contentChecks } from "../content/content-tables.ts";
import { connectReader } from "../connection/connection.ts";
import { toProblem } from "../connection/errors.ts";
import { Reads } from "../threads/reads.ts";
import { requireCurrentSchema } from "../schema/schema.ts";

/**
 * Opens the store in a directory for export, whether or not a service is running there. Blocks the calling thread
 * during reads. Throws a plain `Error` for the operator when there is no store, or when its schema has another version.
 */
export function openSqliteSource(directory: string): StoreSource {
  const file = path.join(path.resolve(directory), databaseFileName);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) throw new Error(`There is no database at ${file}`);
  const database = connectReader(file);
  try {
    requireCurrentSchema(database);
    const reads = new Reads(database);
    const read = async <Result>(body: () => Result): Promise<Result> => {
      if (!database.isOpen) throw new Problem("unavailable");
      return await Promise.try(() => reads.snapshot.read(body)).catch((error: unknown) => {
        throw toProblem(error);
      });
    };
    const calls = readRecords(reads.records, read);
    const { readMessages } = createContentStore({ calls, outside: null, checks: contentChecks });
    const { keys, servers, devices, usage, zones, deliveries, ...records } = calls;
    return {
      ...records,
      ...servers,
      ...keys,
      ...devices,
      ...usage,
      ...zones,
      callbacks: deliveries,
      readMessages,
      close: async () => {
        await Promise.resolve();
        if (database.isOpen) database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
