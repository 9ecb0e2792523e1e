/** The drill of a restore: a backup of a running service, and backups that do not restore whole. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drillFolder } from "../../src/cli/storage/drill.ts";
import type { DrillReport } from "../../src/cli/storage/drill-steps.ts";
import { takeLeftEntries } from "../../src/app/log/audit-file.ts";
import type { AuditEntry } from "../../src/core/audit-entry.ts";
import { systemClock } from "../../src/core/clock.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { Ending } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";

const server = "dril1234";
const settings = { RESTANTE_SERVERS: `${server}:Drilled`, RESTANTE_LOG: "error" };

let folder: string;
let dataDir: string;
let copies: string;
/** A database of which no service is running. */
let stopped: string;
let whileRunning: Ending;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-drilled-"));
  [dataDir, copies, stopped] = [join(folder, "data"), join(folder, "copies"), join(folder, "stopped")];
  mkdirSync(copies);
  const service = await LocalService.start([`--data-dir=${dataDir}`], settings);
  try {
    for (const subject of ["one", "two", "three"]) await service.send(`x@${server}.restante.test`, subject);
    whileRunning = await drill();
  } finally {
    await service.stop();
  }
  cpSync(dataDir, stopped, { recursive: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the command with a folder for temporary files of its own, which it has to leave empty. */
async function drill(...flags: string[]): Promise<Ending> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = copies;
  try {
    return await runLocally(["drill", `--data-dir=${dataDir}`, ...flags], { environment: settings });
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    expect(readdirSync(copies)).toEqual([]);
  }
}

async function report(...flags: string[]): Promise<{ readonly code: number | null; readonly report: DrillReport }> {
  const { code, out } = await drill("--json", ...flags);
  return { code, report: JSON.parse(out) as DrillReport };
}

function lastEntry(): AuditEntry | undefined {
  const left = takeLeftEntries(dataDir);
  left?.forget();
  return left?.entries.at(-1);
}

const statuses = ({ steps }: DrillReport): Record<string, string> =>
  Object.fromEntries(steps.map(({ step, status }) => [step, status]));

/** Returns a copy of the database after these statements; a plain copy has no checksum of its own. */
function changed(sql: string): string {
  const file = join(folder, "changed.db");
  cpSync(join(stopped, "restante.db"), file);
  using database = new DatabaseSync(file);
  database.exec(sql);
  return file;
}

test("prints that a backup of a running service restores whole", () => {
  expect(whileRunning).toMatchObject({ code: 0, error: "" });
  expect(whileRunning.out).toContain(`server ${server}: 3 messages restored; 3 in the source, contents of 3 compared`);
  expect(whileRunning.out.endsWith("\nThe backup restores whole.\n")).toBe(true);
});

test("reports every step, and what was not compared, and leaves an audit entry for the service", async () => {
  const { code, report: found } = await report("--sample=2");
  expect([code, found.passed, found.backup]).toEqual([0, true, null]);
  expect(statuses(found)).toEqual({ backup: "ok", restore: "ok", check: "ok", compare: "ok", open: "ok" });
  expect(found.servers).toMatchObject([{ server, restoredCount: 3, sourceCount: 3, sampledCount: 2, isFaulty: false }]);
  expect(found.notes.join("\n")).toMatch(/the contents of 1 older messages were checked/);
  expect(found.notes.join("\n")).toContain("keys, users");
  expect(lastEntry()).toMatchObject({ action: "store.drill", details: {} });
});

describe("a given backup", () => {
  test("fails the comparison when it lacks a message that the data folder had then, and names the message", async () => {
    const file = changed("delete from message where sequence = 2");
    const { code, report: found } = await report(`--backup=${file}`);
    expect([code, found.passed]).toEqual([1, false]);
    expect(statuses(found)).toEqual({ restore: "ok", check: "failed", compare: "failed", open: "ok" });
    expect(found.servers).toMatchObject([{ missingCount: 1, named: [expect.stringMatching(/^[0-9a-f-]{36}$/)] }]);
    const { out } = await drill(`--backup=${file}`);
    expect(out).toContain("1 MISSING");
    expect(out).toContain("THE BACKUP DOES NOT RESTORE WHOLE.");
  });

  test("fails the check when content has changed", async () => {
    const file = changed("update content set detail = zeroblob(length(detail)) where number = 1");
    const { code, report: found } = await report(`--backup=${file}`);
    expect([code, statuses(found)["check"]]).toEqual([1, "failed"]);
    expect(found.steps.find(({ step }) => step === "check")?.text).toContain("its detail has changed");
  });

  test("is not restored when it is damaged or cut, and the reason is recorded", async () => {
    const file = join(folder, "whole.backup");
    await runLocally(["backup", file, `--data-dir=${dataDir}`], { environment: settings });
    const flipped = join(folder, "flipped.backup");
    writeFileSync(flipped, readFileSync(file).fill(0x55, 9000, 9001));
    truncateSync(file, 20_000);
    for (const damaged of [flipped, file]) {
      const { code, report: found } = await report(`--backup=${damaged}`);
      expect(code).toBe(1);
      const later = { check: "skipped", compare: "skipped", open: "skipped" };
      expect(statuses(found)).toEqual({ restore: "failed", ...later });
      const reason = expect.stringContaining("restore: ") as unknown;
      expect(lastEntry()).toMatchObject({ action: "store.drill", details: { failed: true, reason } });
    }
  });

  test("is restored and checked on a machine without the data folder, and not compared", async () => {
    const file = changed("select 1");
    const { code, report: found } = await report(`--backup=${file}`, `--data-dir=${join(folder, "elsewhere")}`);
    expect([code, statuses(found)["compare"]]).toEqual([0, "skipped"]);
    expect(readdirSync(folder)).not.toContain("elsewhere");
  });
});

describe("a drill that cannot run to its end", () => {
  const options = { sampleCount: 1, clock: systemClock, secretNames: [], backup: null };

  test("needs space for two copies, or for one of a given backup, and names the setting of their folder", async () => {
    const interrupted = new AbortController().signal;
    const run = drillFolder({ ...options, dataDir: stopped, interrupted, freeBytesIn: () => 1_000_000 });
    await expect(run).rejects.toThrow(/^The drill needs \d+\.\d MB in .+, which has 1\.0 MB: set TMPDIR/);
  });

  test("removes its folder when it is interrupted", async () => {
    const names = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("restante-drill-"));
    const before = names();
    const interrupted = AbortSignal.abort(new Error("the drill was interrupted"));
    await expect(drillFolder({ ...options, dataDir: stopped, interrupted })).rejects.toThrow("interrupted");
    expect(names()).toEqual(before);
  });
});

const database = { RESTANTE_DATABASE_URL: "postgres://x@127.0.0.1:1/x" };

test.each([
  [["--backup=/nowhere/at-all"], {}, "There is no backup"],
  [["--sample=0"], {}, "--sample"],
  [["--sample=100001"], {}, "--sample"],
  [["--scratch=postgres://x"], {}, "set RESTANTE_DATABASE_URL"],
  [["--restored=postgres://x"], {}, "set RESTANTE_DATABASE_URL"],
  [["--restored=postgres://y", "--backup=x"], database, "neither --scratch nor --backup"],
  [["--restored=postgres://x@127.0.0.1:1/x"], database, "itself"],
  [[], database, "cannot be used"],
])("refuses %j with %j", async (flags, environment, reason) => {
  const argv = ["drill", `--data-dir=${dataDir}`, ...flags];
  const { code, error } = await runLocally(argv, { environment: { ...settings, ...environment } });
  expect([code, error]).toEqual([2, expect.stringContaining(reason)]);
});
