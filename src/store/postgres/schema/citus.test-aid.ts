/** Databases for tests on a Citus that is already running: none comes from npm. */
import pg from "pg";
import { createDatabaseAt, dropDatabase } from "../embedded-postgres.test-aid.ts";
import { distributeDatabase, migrateDatabase } from "../open.ts";

/**
 * Names the environment variable with the URLs of the machines, parted by commas, the coordinator first: each a database
 * of a user that may create others.
 */
export const citusVariable = "RESTANTE_TEST_CITUS";

/** The machines' URLs; none where the tests on Citus are not wanted. */
export const citusUrls: readonly string[] = (process.env[citusVariable] ?? "").split(",").filter((url) => url !== "");

let databaseCount = 0;

/** A new empty store on all machines, its tables divided between them; the coordinator's URL first. */
export async function createDividedStore(): Promise<readonly string[]> {
  const urls = await createDatabases();
  const [url = ""] = urls;
  await migrateDatabase({ url });
  await distributeDatabase({ url });
  return urls;
}

/** A new empty database on all machines, which know one another. */
async function createDatabases(): Promise<readonly string[]> {
  databaseCount += 1;
  const name = `test_${String(process.pid)}_${String(databaseCount)}`;
  const urls = await Promise.all(citusUrls.map(async (url) => createDatabaseAt(url, name)));
  for (const url of urls) await runAt(url, ["create extension citus"]);
  const [coordinator = "", ...workers] = urls;
  await runAt(coordinator, [
    `select citus_set_coordinator_host(${addressOf(coordinator)})`,
    ...workers.map((url) => `select citus_add_node(${addressOf(url)})`),
    // Two a machine show what many do, and are made much sooner.
    `alter database ${pg.escapeIdentifier(name)} set citus.shard_count = ${String(2 * urls.length)}`,
  ]);
  return urls;
}

/** Drops what {@link createDividedStore} made. */
export async function dropDividedStore(urls: readonly string[]): Promise<void> {
  await Promise.all(urls.map(dropDatabase));
}

/** Runs statements one after the other. */
async function runAt(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function addressOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${pg.escapeLiteral(hostname)}, ${port === "" ? "5432" : port}`;
}
