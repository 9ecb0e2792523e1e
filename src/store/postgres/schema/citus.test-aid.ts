/** Test databases on a running Citus cluster, which npm does not provide. */
import pg from "pg";
import { createDatabaseAt, dropDatabase } from "../embedded-postgres.test-aid.ts";
import { distributeDatabase, migrateDatabase } from "../open.ts";

/**
 * Environment variable with the database URLs of the Citus nodes, separated by commas, coordinator first. The users must
 * be allowed to create databases.
 */
export const citusVariable = "RESTANTE_TEST_CITUS";

/** URLs of the Citus nodes; empty when the Citus tests are disabled. */
export const citusUrls: readonly string[] = (process.env[citusVariable] ?? "").split(",").filter((url) => url !== "");

let databaseCount = 0;

/** Creates an empty store with distributed tables. Returns the URLs of all Citus nodes, coordinator first. */
export async function createDistributedStore(): Promise<readonly string[]> {
  const urls = await createDatabases();
  const [url = ""] = urls;
  await migrateDatabase({ url });
  await distributeDatabase({ url });
  return urls;
}

/** Creates an empty database on every Citus node and registers the workers with the coordinator. */
async function createDatabases(): Promise<readonly string[]> {
  databaseCount += 1;
  const name = `test_${String(process.pid)}_${String(databaseCount)}`;
  const urls = await Promise.all(citusUrls.map(async (url) => createDatabaseAt(url, name)));
  for (const url of urls) await runAt(url, ["create extension citus"]);
  const [coordinator = "", ...workers] = urls;
  await runAt(coordinator, [
    `select citus_set_coordinator_host(${addressOf(coordinator)})`,
    ...workers.map((url) => `select citus_add_node(${addressOf(url)})`),
    // Two shards per node behave like many and are created much faster.
    `alter database ${pg.escapeIdentifier(name)} set citus.shard_count = ${String(2 * urls.length)}`,
  ]);
  return urls;
}

/** Drops the databases of {@link createDistributedStore}. */
export async function dropDistributedStore(urls: readonly string[]): Promise<void> {
  await Promise.all(urls.map(dropDatabase));
}

/** Runs statements in order on one connection. */
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
