/** Store used by the journeys: `vitest.config.ts` runs them on SQLite and some again on PostgreSQL. */
import type { Choices } from "../../src/app/settings/table.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { migratedDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import type { Store } from "../../src/store/store.ts";

/** Whether the journeys run on PostgreSQL. */
export const isPostgres: boolean = process.env["RESTANTE_TEST_STORE"] === "postgres";
/** Settings that every node on PostgreSQL requires. */
const secretKey = "a-secret-key-for-journeys";
const databases = new Map<string, Promise<string>>();

/** Returns the variables that configure the store of a data directory; the same store for the same directory. */
export async function storeSettings(dataDir: string): Promise<Record<string, string>> {
  if (!isPostgres) return {};
  return { RESTANTE_DATABASE_URL: await databaseOf(dataDir), RESTANTE_SECRET_KEY: secretKey };
}

/** The same as options, for services in this process. */
export async function storeChoices(dataDir: string): Promise<Partial<Choices>> {
  return isPostgres ? { databaseUrl: await databaseOf(dataDir), secretKey } : {};
}

/** Empty store to use instead of the one that a test would open; undefined where the default is right. */
export async function storeUnderTest(): Promise<{ readonly store?: Store }> {
  return isPostgres ? { store: await openPostgresStore({ url: await migratedDatabaseUrl() }) } : {};
}

async function databaseOf(dataDir: string): Promise<string> {
  const url = databases.get(dataDir) ?? migratedDatabaseUrl();
  databases.set(dataDir, url);
  return url;
}
