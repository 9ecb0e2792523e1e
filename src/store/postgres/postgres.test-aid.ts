/** Databases for tests, all on one PostgreSQL for the whole run. */
import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createDatabaseAt } from "./embedded-postgres.test-aid.ts";

export { dropDatabase } from "./embedded-postgres.test-aid.ts";

/** Names the folder of the run, which `test/global-setup.ts` makes and removes. */
export const runFolderVariable = "RESTANTE_TEST_RUN";

const startMsMax = 150_000;
let databaseCount = 0;

/**
 * URL of a new empty database. It goes with the run; a test that makes many drops each with `dropDatabase`. The first
 * call of a run starts the PostgreSQL, in a process that ends when the run does; `RESTANTE_TEST_POSTGRES`, the URL of a
 * superuser, names another one, on which the databases stay.
 */
export async function testDatabaseUrl(): Promise<string> {
  databaseCount += 1;
  return createDatabaseAt(await serverUrl(), `test_${String(process.pid)}_${String(databaseCount)}`);
}

async function serverUrl(): Promise<string> {
  const own = process.env["RESTANTE_TEST_POSTGRES"];
  if (own !== undefined) return own;
  const folder = process.env[runFolderVariable];
  if (folder === undefined) throw new Error("databases for tests exist in a run of vitest only");
  const isFirst = await mkdir(path.join(folder, "postgres")).then(
    () => true,
    () => false,
  );
  if (isFirst) startServer(folder);
  for (const until = Date.now() + startMsMax; Date.now() < until; await pause(20)) {
    const note = await readFile(path.join(folder, "postgres", "url"), "utf8").catch(() => "");
    if (note.startsWith("postgres:")) return note;
    if (note !== "") throw new Error(note);
  }
  throw new Error("the PostgreSQL of the run has not started");
}

function startServer(folder: string): void {
  const main = fileURLToPath(new URL("./run-postgres.test-aid.ts", import.meta.url));
  spawn(process.execPath, [main, path.join(folder, "postgres")], { detached: true, stdio: "ignore" }).unref();
}
