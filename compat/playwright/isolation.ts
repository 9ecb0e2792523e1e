/**
 * Runs 500 Playwright tests in eight workers on one shared service, and reports whether each received its own mail, once:
 * `npm run compat:isolation [-- COUNT [WORKERS]]`. Run `npm run build` before.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkModules, runIn, writeIsolationTests } from "./project.ts";

interface Report {
  readonly stats: { readonly duration: number; readonly expected: number; readonly unexpected: number };
  readonly suites: readonly Suite[];
}

interface Suite {
  readonly specs?: readonly { readonly tests: readonly { readonly results: readonly { workerIndex: number }[] }[] }[];
  readonly suites?: readonly Suite[];
}

const [count = 500, workers = 8] = process.argv.slice(2).map(Number);
const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "restante-isolation-"));
writeIsolationTests(folder, { count });
linkModules(folder, root);
const playwright = join(folder, "node_modules", "@playwright", "test", "cli.js");
const { code, output } = await runIn(folder, [playwright, "test", `--workers=${String(workers)}`]);
const { stats, suites } = JSON.parse(output.slice(output.indexOf("{"))) as Report;
const indexes = new Set(suites.flatMap(workersOf));
process.stdout.write(
  `${String(stats.expected)} tests passed, ${String(stats.unexpected)} failed, in ${String(indexes.size)} workers on one service, ${(stats.duration / 1000).toFixed(1)} s\n`,
);
rmSync(folder, { recursive: true });
process.exitCode = code ?? 1;

function workersOf({ specs = [], suites: inner = [] }: Suite): readonly number[] {
  const own = specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results.map((one) => one.workerIndex)));
  return [...own, ...inner.flatMap(workersOf)];
}
