/** Store used by the journeys: `vitest.config.ts` runs them on SQLite and some again on PostgreSQL. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Choices } from "../../src/app/settings/table.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { migratedDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { emptyDatabaseUrl, releaseDatabase } from "../../src/store/postgres/reused-database.test-aid.ts";
import type { Store } from "../../src/store/store.ts";

/** Whether the journeys run on PostgreSQL, or on Citus. */
export const isPostgres: boolean = ["postgres", "citus"].includes(process.env["RESTANTE_TEST_STORE"] ?? "");
/** Settings that every node on PostgreSQL requires. */
const secretKey = "a-secret-key-for-journeys";
/** Database of a test. */
interface TestDatabase {
  readonly url: Promise<string>;
  /** Folder that exists until the test has ended. */
  readonly folder: string;
}

/** Databases by data directory. */
const databases = new Map<string, TestDatabase>();

/**
 * Returns the variables that configure the store of a data directory; the same store for the same directory. A database is
 * emptied and used again when the directory, or the folder that was to contain it, has been removed.
 */
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
  const present = databases.get(dataDir);
  if (present !== undefined) return present.url;
  const ended = Array.from(databases).filter(([, { folder }]) => !existsSync(folder));
  for (const [former] of ended) databases.delete(former);
  const release = Promise.all(ended.map(async ([, { url }]) => releaseDatabase(await url)));
  const url = release.then(async () => emptyDatabaseUrl());
  databases.set(dataDir, { url, folder: existsSync(dataDir) ? dataDir : dirname(dataDir) });
  return url;
}
