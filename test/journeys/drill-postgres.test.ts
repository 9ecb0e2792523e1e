/** The drill of a PostgreSQL database: by its own programs where `RESTANTE_TEST_PG_PROGRAMS` names their folder, else by stand-ins. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DrillReport } from "../../src/cli/storage/drill-steps.ts";
import { withDatabase } from "../../src/store/postgres/connection/connection-url.ts";
import { openDatabase } from "../../src/store/postgres/connection/database.ts";
import { dropDatabase, migratedDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { Ending } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";

const key = "key-of-the-whole-account-1";
const server = "dril1234";
const settings = { RESTANTE_API_KEY: key, RESTANTE_SECRET_KEY: "a-secret-key-for-journeys", RESTANTE_LOG: "error" };

let folder: string;
let programs: string;
let url: string;
let service: LocalService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-drilled-"));
  mkdirSync(join(folder, "copies"));
  programs =
    process.env["RESTANTE_TEST_PG_PROGRAMS"] ??
    standIns("stand-ins", (name) => {
      return `exec "${process.execPath}" "${join(import.meta.dirname, "pg-programs.test-aid.ts")}" ${name} "$@"`;
    });
  url = await migratedDatabaseUrl();
  service = await LocalService.start([`--data-dir=${join(folder, "data")}`], {
    ...settings,
    RESTANTE_DATABASE_URL: url,
    RESTANTE_SERVERS: `${server}:Drilled`,
  });
  for (const subject of ["one", "two", "three"]) await service.send(`x@${server}.restante.test`, subject);
});
afterAll(async () => {
  await service.stop();
  await dropDatabase(url);
  rmSync(folder, { recursive: true });
});

/** Writes shell scripts in place of the programs of PostgreSQL; returns their folder. */
function standIns(name: string, lineOf: (program: string) => string): string {
  const own = join(folder, name);
  mkdirSync(own);
  for (const program of ["pg_dump", "pg_restore"]) {
    writeFileSync(join(own, program), `#!/bin/sh\n${lineOf(program)}\n`);
    chmodSync(join(own, program), 0o755);
  }
  return own;
}

/** Runs the command, which has to leave neither files nor databases. */
async function drill(flags: readonly string[] = [], path = programs): Promise<Ending> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = join(folder, "copies");
  try {
    const environment = { ...settings, RESTANTE_DATABASE_URL: url, PATH: path };
    return await runLocally(["drill", ...flags], { environment });
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    expect(readdirSync(join(folder, "copies"))).toEqual([]);
    expect(await run("select datname from pg_database where datname like 'restante_drill_%'")).toEqual([]);
  }
}

async function report(flags: readonly string[] = [], path?: string): Promise<[number | null, DrillReport]> {
  const { code, out } = await drill(["--json", ...flags], path);
  return [code, JSON.parse(out) as DrillReport];
}

async function run(sql: string, at = url): Promise<readonly object[]> {
  const database = openDatabase(at);
  try {
    return await database.query<object>(sql);
  } finally {
    await database.close();
  }
}

const statuses = ({ steps }: DrillReport): Record<string, string> =>
  Object.fromEntries(steps.map(({ step, status }) => [step, status]));

test("prints that a dump of a running service restores whole, and records it in the audit log", async () => {
  const { code, out, error } = await drill();
  expect([code, error]).toEqual([0, ""]);
  expect(out).toContain(`server ${server}: 3 messages restored; 3 in the source, contents of 3 compared`);
  expect(out.endsWith("\nThe backup restores whole.\n")).toBe(true);
  const entries = (await (await service.fetch("/api/audit", key)).json()) as readonly { readonly action: string }[];
  expect(entries[0]).toMatchObject({ action: "store.drill", details: {} });
});

test("has a report of the same form as for a data folder", async () => {
  const [code, found] = await report(["--sample=2", `--scratch=${withDatabase(url, "postgres")}`]);
  expect([code, found.passed, found.backup]).toEqual([0, true, null]);
  expect(statuses(found)).toEqual({ backup: "ok", restore: "ok", check: "ok", compare: "ok", open: "ok" });
  expect(found.servers).toMatchObject([{ server, restoredCount: 3, sourceCount: 3, sampledCount: 2, isFaulty: false }]);
  expect(found.source).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/\w+$/);
  expect(found.notes.join("\n")).toContain("RESTANTE_SECRET_KEY and RESTANTE_API_KEY");
});

describe("a copy that was restored before", () => {
  test("fails the comparison when it lacks a message, and stays", async () => {
    const copy = await migratedDatabaseUrl();
    await service.stop();
    const name = new URL(copy).pathname.slice(1);
    const at = withDatabase(url, "postgres");
    await run(`drop database "${name}" with (force)`, at);
    await run(`create database "${name}" template "${new URL(url).pathname.slice(1)}"`, at);
    expect((await report([`--restored=${copy}`]))[0]).toBe(0);
    await run("delete from message where sequence = 2", copy);
    const [code, found] = await report([`--restored=${copy}`]);
    expect([code, statuses(found)]).toEqual([1, { check: "ok", compare: "failed", open: "ok" }]);
    expect(found.servers).toMatchObject([{ missingCount: 1, named: [expect.stringMatching(/^[0-9a-f-]{36}$/)] }]);
    expect((await drill([`--restored=${copy}`])).out).toContain("1 MISSING");
    await dropDatabase(copy);
  });
});

describe("without usable programs", () => {
  test("names the program that is missing, and the exit code is that of a drill that cannot run", async () => {
    const { code, error } = await drill([], join(folder, "copies"));
    expect([code, error]).toEqual([2, expect.stringContaining("pg_dump was not found")]);
  });

  test("fails the backup with the output of the program, and restores nothing", async () => {
    const broken = standIns("broken", () => '[ "$1" = --version ] || { echo "server version mismatch" >&2; exit 1; }');
    const [code, found] = await report([], broken);
    const later = { check: "skipped", compare: "skipped", open: "skipped" };
    expect([code, statuses(found)]).toEqual([1, { backup: "failed", ...later }]);
    expect(found.steps[0]?.text).toContain("server version mismatch");
  });

  test("refuses a backup that is not there", async () => {
    const { code, error } = await drill([`--backup=${join(folder, "none")}`]);
    expect([code, error]).toEqual([2, expect.stringContaining("There is no backup at")]);
  });
});
