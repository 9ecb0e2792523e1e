import { systemClock } from "../../core/clock.ts";
import type { Clock } from "../../core/clock.ts";
import type { Store } from "../store.ts";
import { isDistributed } from "./citus.ts";
import { openDatabase } from "./database.ts";
import type { DatabaseOptions } from "./database.ts";
import { PostgresStore } from "./postgres-store.ts";
import { migrate } from "./schema.ts";

/** Where a store lies. */
export interface PostgresStoreOptions {
  /** As libpq reads it: `postgres://user:password@host:port,host:port/database?sslmode=verify-full`. */
  readonly url: string;
  readonly clock?: Clock;
  /** What may be chosen about its connections. */
  readonly connections?: Omit<DatabaseOptions, "clock">;
}

/** A step may have to rewrite a table. */
const migrationMsMax = 60 * 60_000;

/**
 * Opens the store in a database, and makes it where there is none. Rejects with a plain `Error` for the operator when a
 * newer program owns the database, with `unavailable` when it cannot be reached.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, clock = systemClock, connections = {} } = options;
  await migrateDatabase({ url, clock });
  const database = openDatabase(url, { ...connections, clock });
  try {
    return new PostgresStore({ database, clock, isDistributed: await isDistributed(database) });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Brings the schema of a database to this program's; answers how many steps it made. Rejects as {@link openPostgresStore}. */
export async function migrateDatabase({ url, clock = systemClock }: PostgresStoreOptions): Promise<number> {
  const database = openDatabase(url, { clock, connectionCountMax: 1, statementMsMax: migrationMsMax });
  try {
    return await migrate({ database, clock });
  } finally {
    await database.close();
  }
}
