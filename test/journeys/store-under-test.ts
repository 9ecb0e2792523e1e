/** Which store the journeys are about: each is made on SQLite, and once more on PostgreSQL, as `vitest.config.ts` says. */
import type { Choices } from "../../src/app/settings/table.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { testDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import type { Store } from "../../src/store/store.ts";

const isShared = process.env["RESTANTE_TEST_STORE"] === "postgres";
/** What nodes must be given, for one that is alone as well. */
const secretKey = "a-secret-key-for-journeys";
const databases = new Map<string, Promise<string>>();

/** Variables that put the service of a data folder on the store: the same one each time. */
export async function storeSettings(dataDir: string): Promise<Record<string, string>> {
  if (!isShared) return {};
  return { RESTANTE_DATABASE_URL: await databaseOf(dataDir), RESTANTE_SECRET_KEY: secretKey };
}

/** The same as choices, for services in this process. */
export async function storeChoices(dataDir: string): Promise<Partial<Choices>> {
  return isShared ? { databaseUrl: await databaseOf(dataDir), secretKey } : {};
}

/** An empty store in the place of the one that a test would open; none where it would open the right one. */
export async function storeUnderTest(): Promise<{ readonly store?: Store }> {
  return isShared ? { store: await openPostgresStore({ url: await testDatabaseUrl() }) } : {};
}

async function databaseOf(dataDir: string): Promise<string> {
  const url = databases.get(dataDir) ?? testDatabaseUrl();
  databases.set(dataDir, url);
  return url;
}
