/** Test databases on a running Citus cluster, which npm does not provide. */
import pg from "pg";
import { createDatabaseAt, dropDatabase } from "../embedded-postgres.test-aid.ts";
import { distributeDatabase, migrateDatabase } from "../open.ts";

/**
 * Environment variable with the URL of a database on the coordinator of a Citus cluster that knows its workers. Its user is a
 * superuser on every machine, with the same password. `npm run compat:citus` sets it.
 */
export const citusVariable = "RESTANTE_TEST_CITUS";

/** Whether the tests of a run use distributed databases; only the project Citus does. */
export const isCitus: boolean = process.env["RESTANTE_TEST_STORE"] === "citus";

/** The URL of {@link citusVariable}; throws when it is not set. */
export function citusUrl(): string {
  const url = process.env[citusVariable];
  if (url === undefined) throw new Error(`tests on Citus require ${citusVariable}`);
  return url;
}

/** Prefix of the names of test databases. */
const namePrefix = "restante_test_";

let databaseCount = 0;
let servers: Promise<readonly string[]> | undefined;

/** Creates a database with the schema of this version on every machine and distributes its tables. Returns its URL. */
export async function createDistributedDatabase(): Promise<string> {
  databaseCount += 1;
  const name = `${namePrefix}${String(process.pid)}_${String(databaseCount)}`;
  const urls: string[] = [];
  for (const server of await citusServers()) {
    const url = await createDatabaseAt(server, name);
    await queryAt(url, "create extension citus");
    urls.push(url);
  }
  const [coordinator = "", ...workers] = urls;
  await queryAt(coordinator, `select citus_set_coordinator_host(${addressOf(coordinator)})`);
  for (const url of workers) await queryAt(coordinator, `select citus_add_node(${addressOf(url)})`);
  // Two shards per machine behave like many and are created much faster.
  const shardCount = String(2 * urls.length);
  await queryAt(coordinator, `alter database ${pg.escapeIdentifier(name)} set citus.shard_count = ${shardCount}`);
  await migrateDatabase({ url: coordinator });
  await distributeDatabase({ url: coordinator });
  return coordinator;
}

/** Drops a database of {@link createDistributedDatabase} on every machine. */
export async function dropDistributedDatabase(url: string): Promise<void> {
  for (const server of await citusServers()) {
    const own = new URL(server);
    own.pathname = new URL(url).pathname;
    // The maintenance daemon of Citus reconnects, and may do so before the database is dropped.
    for (let isDropped = false; !isDropped;) {
      isDropped = await dropDatabase(own.href).then(
        () => true,
        (error: unknown) => {
          if ((error as { readonly code?: unknown }).code !== "55006") throw error;
          return false;
        },
      );
    }
  }
}

/** Drops the databases that tests have left on any machine, also of earlier runs. */
export async function dropLeftDatabases(): Promise<void> {
  for (const server of await citusServers()) {
    const left = await queryAt<{ readonly name: string }>(
      server,
      `select datname as name from pg_database where starts_with(datname, ${pg.escapeLiteral(namePrefix)})`,
    );
    for (const { name } of left) await dropDistributedDatabase(new URL(`/${name}`, server).href);
  }
}

/** Returns the URLs of all machines, coordinator first. */
export async function citusServers(): Promise<readonly string[]> {
  servers ??= queryAt<{ readonly host: string; readonly port: number }>(
    citusUrl(),
    "select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and noderole = 'primary' order by nodeid",
  ).then((workers) => [
    citusUrl(),
    ...workers.map(({ host, port }) => {
      const url = new URL(citusUrl());
      url.hostname = host;
      url.port = String(port);
      return url.href;
    }),
  ]);
  return servers;
}

/** Runs one statement on a connection of its own. */
export async function queryAt<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A killed server is reported by the statement.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

function addressOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${pg.escapeLiteral(hostname)}, ${port === "" ? "5432" : port}`;
}
