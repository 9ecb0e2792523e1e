/** Test databases on one PostgreSQL server per test run. */
import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createDatabaseAt, dropDatabase as drop } from "./embedded-postgres.test-aid.ts";
import { runFolderVariable } from "../../testing/run-variables.ts";
import { createDistributedDatabase, dropDistributedDatabase, isCitus } from "./schema/citus.test-aid.ts";

/** Database of the server of a test run that has the schema of this version. */
export const templateName = "migrated";

const startMsMax = 150_000;
let databaseCount = 0;

/**
 * Creates an empty database and returns its URL. The server is removed after the run; a test that creates many databases
 * drops each with `dropDatabase`. The first call of a run starts the server in a process that exits with the run.
 * `RESTANTE_TEST_POSTGRES`, the URL of a superuser, selects another server, whose databases are kept.
 */
export async function testDatabaseUrl(): Promise<string> {
  return createDatabase(null);
}

/**
 * Works as {@link testDatabaseUrl}, and the database has the schema of this version already, for tests that are not about
 * migrations. On a server of `RESTANTE_TEST_POSTGRES` it is empty. In tests on Citus, its tables are distributed.
 */
export async function migratedDatabaseUrl(): Promise<string> {
  if (isCitus) return createDistributedDatabase();
  return createDatabase(process.env["RESTANTE_TEST_POSTGRES"] === undefined ? templateName : null);
}

/** Drops a database of this file and closes all connections to it. */
export async function dropDatabase(url: string): Promise<void> {
  await (isCitus ? dropDistributedDatabase(url) : drop(url));
}

async function createDatabase(template: string | null): Promise<string> {
  databaseCount += 1;
  return createDatabaseAt(await serverUrl(), `test_${String(process.pid)}_${String(databaseCount)}`, template);
}

async function serverUrl(): Promise<string> {
  const external = process.env["RESTANTE_TEST_POSTGRES"];
  if (external !== undefined) return external;
  const folder = process.env[runFolderVariable];
  if (folder === undefined) throw new Error(`test databases require Vitest, which sets ${runFolderVariable}`);
  const isFirst = await mkdir(path.join(folder, "postgres")).then(
    () => true,
    () => false,
  );
  if (isFirst) startServer(folder);
  for (const until = Date.now() + startMsMax; Date.now() < until; await pause(20)) {
    const result = await readFile(path.join(folder, "postgres", "url"), "utf8").catch(() => "");
    if (result.startsWith("postgres:")) return result;
    if (result !== "") throw new Error(result);
  }
  throw new Error(`PostgreSQL did not start within ${String(startMsMax)} ms`);
}

function startServer(folder: string): void {
  const main = fileURLToPath(new URL("./run-postgres.test-aid.ts", import.meta.url));
  spawn(process.execPath, [main, path.join(folder, "postgres")], { detached: true, stdio: "ignore" }).unref();
}
