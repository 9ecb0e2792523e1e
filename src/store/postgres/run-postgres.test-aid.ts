/** Process that runs PostgreSQL for a test run, until its folder is removed or the run exits. Writes the URL into it. */
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createDatabaseAt, EmbeddedPostgres } from "./embedded-postgres.test-aid.ts";
import { migrateDatabase } from "./open.ts";
import { templateName } from "./postgres.test-aid.ts";

const folder = process.argv[2] ?? "";
const runFile = path.join(folder, "..", "pid");

async function writeResult(text: string): Promise<void> {
  await writeFile(path.join(folder, "url.new"), text);
  await rename(path.join(folder, "url.new"), path.join(folder, "url"));
}

/** Returns whether the folder and the process of the test run exist. */
async function isTestRunning(): Promise<boolean> {
  const pid = Number(await readFile(runFile, "utf8").catch(() => "0"));
  if (pid === 0 || !existsSync(folder)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

try {
  await using postgres = await EmbeddedPostgres.start({ durable: false });
  await migrateDatabase({ url: await createDatabaseAt(postgres.url(), templateName) });
  await writeResult(postgres.url());
  while (await isTestRunning()) await pause(300);
} catch (error) {
  await writeResult(String(error)).catch(() => undefined);
}
