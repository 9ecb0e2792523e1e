/** Databases that are emptied and used again, for test suites that open hundreds of stores. */
import pg from "pg";
import { migrateDatabase } from "./open.ts";
import { dropDatabase, migratedDatabaseUrl } from "./postgres.test-aid.ts";

/** Larger databases are dropped: deleted rows would slow down the tests that follow. */
const reusedBytesMax = 20_000_000;

/** Rows of a table, as a JSON array. */
interface TableContent {
  readonly table: string;
  readonly rows: string;
}

const emptyUrls: string[] = [];
/** Content of the tables of a new database. */
let initial: readonly TableContent[] | undefined;

/**
 * Returns the URL of a database that has the schema of this version and is as empty as a new one: a new database, or one
 * of {@link releaseDatabase}. PostgreSQL takes 70 ms of CPU time to create and drop a database, and 1 ms to empty one.
 */
export async function emptyDatabaseUrl(): Promise<string> {
  return emptyUrls.pop() ?? (await newDatabaseUrl());
}

/** Closes all connections to a database of {@link emptyDatabaseUrl} and empties it for the next call. */
export async function releaseDatabase(url: string): Promise<void> {
  if (await withClient(url, emptyDatabase)) emptyUrls.push(url);
  else await dropDatabase(url);
}

async function newDatabaseUrl(): Promise<string> {
  const url = await migratedDatabaseUrl();
  await migrateDatabase({ url });
  initial ??= await withClient(url, readContent);
  return url;
}

async function readContent(client: pg.Client): Promise<readonly TableContent[]> {
  const tables = await client.query<{ readonly name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1",
  );
  const contents: TableContent[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ readonly rows: string }>(
      `select coalesce(jsonb_agg(content), '[]')::text as rows from ${name} content`,
    );
    contents.push({ table: name, rows: rows[0]?.rows ?? "[]" });
  }
  return contents;
}

/** Returns false when the database has grown too large to be used again. */
async function emptyDatabase(client: pg.Client): Promise<boolean> {
  await client.query(
    "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  const size = await client.query<{ readonly bytes: string }>("select pg_database_size(current_database()) as bytes");
  if (initial === undefined || Number(size.rows[0]?.bytes) > reusedBytesMax) return false;
  await client.query(initial.map(({ table }) => `delete from ${table}`).join(";"));
  for (const { table, rows } of initial.filter((one) => one.rows !== "[]")) {
    await client.query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`, [rows]);
  }
  return true;
}

async function withClient<Result>(url: string, body: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}
