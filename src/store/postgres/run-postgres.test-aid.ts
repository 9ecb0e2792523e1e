/** A process that runs a PostgreSQL as long as its folder is there, and writes its URL into it. */
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { EmbeddedPostgres } from "./embedded-postgres.test-aid.ts";

const folder = process.argv[2] ?? "";
const runFile = path.join(folder, "..", "pid");

async function note(text: string): Promise<void> {
  await writeFile(path.join(folder, "url.new"), text);
  await rename(path.join(folder, "url.new"), path.join(folder, "url"));
}

/** Whether the run goes on: its folder is there, and so is its process. */
async function goesOn(): Promise<boolean> {
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
  await note(postgres.url());
  while (await goesOn()) await pause(300);
} catch (error) {
  await note(String(error)).catch(() => undefined);
}
