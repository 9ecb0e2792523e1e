/**
 * Runs the tests on a running Citus: `npm run compat:citus postgres://postgres:…@coordinator/database`. The database knows the
 * workers; its user is a superuser on every machine. Tests create databases and kill server processes, so use no cluster with
 * other data. When all tests have passed, the guide names version and date.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  citusServers,
  citusVariable,
  dropLeftDatabases,
  queryAt,
} from "../src/store/postgres/schema/citus.test-aid.ts";

const guide = join(import.meta.dirname, "..", "docs", "guide", "many-nodes.md");
/** Sentence of the guide that each run replaces. */
const sentence = /^Last run of `npm run compat:citus`: .*$/m;

/** Report of Vitest, as far as it is used. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

function runTests(project: string): Report {
  const folder = mkdtempSync(join(tmpdir(), "restante-citus-"));
  const output = join(folder, "report.json");
  const argv = [
    "run",
    `--project=${project}`,
    "--maxWorkers=2",
    "--reporter=default",
    "--reporter=json",
    `--outputFile=${output}`,
  ];
  try {
    const { status } = spawnSync("vitest", argv, { stdio: "inherit" });
    const report = JSON.parse(readFileSync(output, "utf8")) as Report;
    // Errors outside of tests fail a run too.
    return status === 0 ? report : { ...report, numFailedTests: Math.max(1, report.numFailedTests) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function describeCluster(url: string): Promise<string> {
  const [row] = await queryAt<{ readonly citus: string; readonly postgres: string }>(
    url,
    "select split_part(citus_version(), ' ', 2) as citus, split_part(current_setting('server_version'), ' ', 1) as postgres",
  );
  const machines = await citusServers();
  return `Citus ${row?.citus ?? "?"} with PostgreSQL ${row?.postgres ?? "?"} on ${String(machines.length)} machines`;
}

const url = process.argv[2];
if (url === undefined) {
  process.stderr.write("Name the coordinator: npm run compat:citus postgres://postgres@coordinator/database\n");
  process.exitCode = 2;
} else {
  process.env[citusVariable] = url;
  const cluster = await describeCluster(url);
  await dropLeftDatabases();
  const reports = ["Citus", "killed Citus"].map(runTests);
  await dropLeftDatabases();
  const sum = (member: keyof Report): number => reports.reduce((count, report) => count + report[member], 0);
  const [passed, failed, skipped] = [sum("numPassedTests"), sum("numFailedTests"), sum("numPendingTests")];
  const counts = `${String(passed)} tests passed, ${String(failed)} failed, ${String(skipped)} were skipped`;
  const result = `Last run of \`npm run compat:citus\`: ${cluster}, ${new Date().toISOString().slice(0, 10)}: ${counts}.`;
  process.stdout.write(`${result}\n`);
  if (failed > 0) process.exitCode = 1;
  else writeFileSync(guide, readFileSync(guide, "utf8").replace(sentence, result));
}
