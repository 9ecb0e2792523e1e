/** Nodes of two releases on one database, whose schema the newer one migrates. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/store/postgres/connection/database.ts";
import { testDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { schemaVersion } from "../../src/store/postgres/schema/schema.ts";
import { runCommand, ServiceProcess } from "../../src/testing/service-process.ts";

const key = "a-key-for-journeys";
const server = "roll1234";
const main = join(import.meta.dirname, "newer-release.test-aid.ts");
const addition = { sql: "alter table server add column further text", suitsOlderPrograms: true };
const break_ = { sql: "create table broken (x text)", suitsOlderPrograms: false };

let folder: string;
let url: string;
let older: ServiceProcess;
const running: ServiceProcess[] = [];

const environment = (further: readonly object[]): Record<string, string> => ({
  RESTANTE_DATABASE_URL: url,
  RESTANTE_API_KEY: key,
  RESTANTE_SECRET_KEY: "a-secret-key-for-journeys",
  RESTANTE_SERVERS: `${server}:Rolling`,
  RESTANTE_LOG: "warn",
  ...(further.length > 0 && { TEST_MIGRATIONS: JSON.stringify(further) }),
});

async function start(name: string, ...further: readonly object[]): Promise<ServiceProcess> {
  const node = await ServiceProcess.start([`--data-dir=${join(folder, name)}`], {
    environment: environment(further),
    ...(further.length > 0 && { main }),
  });
  running.push(node);
  return node;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-rolling-"));
  url = await testDatabaseUrl();
  older = await start("older");
});
afterAll(async () => {
  for (const node of running) await node.stop("SIGKILL");
  rmSync(folder, { recursive: true });
});

async function search(node: ServiceProcess, subject: string): Promise<readonly object[]> {
  const path = `/api/messages/search?server=${server}&timeout=60000`;
  const response = await node.fetch(path, key, { method: "POST", body: JSON.stringify({ subject }) });
  expect(response.status).toBe(200);
  return (await response.json()) as object[];
}

test("keeps a node of the release before serving, beside one that has migrated by additions", async () => {
  await older.send(`x@${server}.restante.test`, "before");
  const waiting = search(older, "from the newer node");
  const newer = await start("newer", addition);
  const database = openDatabase(url);
  const [row] = await database.query("select version, needed from restante_schema");
  await database.close();
  expect(row).toEqual({ version: schemaVersion + 1, needed: schemaVersion });

  await newer.send(`x@${server}.restante.test`, "from the newer node");
  expect(await waiting).toHaveLength(1);
  await older.send(`x@${server}.restante.test`, "from the older node");
  const subjects = ["from the older node", "from the newer node", "before"];
  for (const node of [older, newer]) {
    expect(await node.subjects(server, key)).toEqual(subjects);
    expect((await node.fetch("/readyz", "")).status).toBe(200);
  }
  expect([older.errors, newer.errors]).toEqual(["", ""]);
  const again = await start("older-again");
  expect(await again.subjects(server, key)).toEqual(subjects);
});

test("makes older nodes unready, with the reason, before a migration that they cannot use, and refuses to start others", async () => {
  const newest = await start("newest", addition, break_);
  const line = await older.logged(/background task failed/);
  expect(line).toContain(`requires a release that supports version ${schemaVersion + 2}`);
  expect((await older.fetch("/readyz", "")).status).toBe(503);
  expect((await older.fetch("/healthz", "")).status).toBe(200);
  await expect(older.send(`x@${server}.restante.test`, "refused")).rejects.toThrow("451");
  expect((await newest.fetch("/readyz", "")).status).toBe(200);
  await newest.send(`x@${server}.restante.test`, "after");

  const { code, error } = await runCommand(["serve", `--data-dir=${join(folder, "refused")}`], {
    environment: environment([]),
  });
  expect([code, error]).toEqual([1, expect.stringContaining("start the newer release, or restore a backup")]);
});
