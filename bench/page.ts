/**
 * Runs the benchmarks of docs/reference/performance.md in the order of the page, on a build of the present sources: `npm run
 * bench:page`. Prints their tables, and how long each took. `-- --long` adds those of an hour and of a million messages,
 * `-- --only=providers,callbacks` runs some. `-- --before=earlier.md` names the output of an earlier run: a benchmark with a
 * figure that differs from it by more than a tenth runs again, and the figures that differ in both runs are listed. Each
 * benchmark says the load of the machine. For comparable figures, nothing else may run on it; where only some of its cores are
 * free, start it with `taskset`.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { figuresOf, movedFigures } from "./figures.ts";

/** Program of this folder with its arguments. */
interface Step {
  readonly name: string;
  readonly argv: readonly string[];
  readonly isLong?: boolean;
}

const steps: readonly Step[] = [
  ...["start", "ingest", "one-sender", "burst"].map((name) => ({ name, argv: ["main.ts", name] })),
  { name: "providers", argv: ["providers.ts"] },
  { name: "imap", argv: ["main.ts", "imap"] },
  { name: "callbacks", argv: ["callbacks.ts"] },
  ...["memory", "faults", "list", "read", "typing", "web"].map((name) => ({ name, argv: ["main.ts", name] })),
  { name: "search", argv: ["search.ts", "--texts-only"] },
  { name: "search-million", argv: ["search.ts", "--growth-only", "--full"], isLong: true },
  { name: "emptying", argv: ["search.ts", "--emptying-only", "--full"], isLong: true },
  { name: "wait", argv: ["main.ts", "wait", "client-wait"] },
  { name: "hostile", argv: ["hostile.ts"] },
  { name: "soak", argv: ["soak.ts"], isLong: true },
  { name: "postgres", argv: ["postgres.ts", "--ingest", "--wake-up"] },
  { name: "postgres-index", argv: ["postgres.ts", "--text-index", "200000"] },
  { name: "postgres-million", argv: ["postgres.ts", "--text-index", "1000000"], isLong: true },
];

const options = process.argv.slice(2);
const only = optionOf("only")?.split(",");
const unknown = (only ?? []).filter((name) => steps.every((step) => step.name !== name));
if (unknown.length > 0) {
  throw new Error(`unknown: ${unknown.join(", ")}; there are ${steps.map(({ name }) => name).join(", ")}`);
}
const isLong = options.includes("--long");
const chosen = steps.filter((step) => only?.includes(step.name) ?? (isLong || step.isLong !== true));
const earlierFile = optionOf("before");
const earlier = figuresOf(earlierFile === undefined ? "" : readFileSync(earlierFile, "utf8"));

const failed: string[] = [];
run({ name: "build", argv: [join("..", "scripts", "build.ts")] });
for (const step of chosen) {
  const moved = movedFigures(earlier, figuresOf(run(step)));
  if (moved.length === 0) continue;
  const movedAgain = new Set(movedFigures(earlier, figuresOf(run(step))).map(({ name }) => name));
  const lines = moved.map(({ name, before, now }) => `- ${name}: ${before} before, ${now} now`);
  const confirmed = lines.filter((_, at) => movedAgain.has(moved[at]?.name ?? ""));
  process.stdout.write(
    `\nmoved by more than a tenth in both runs: ${confirmed.length === 0 ? "none" : `\n${confirmed.join("\n")}`}\n`,
  );
}
if (failed.length > 0) {
  process.stdout.write(`\nfailed: ${failed.join(", ")}\n`);
  process.exitCode = 1;
}

function optionOf(name: string): string | undefined {
  return options.find((option) => option.startsWith(`--${name}=`))?.slice(`--${name}=`.length);
}

/** Runs a step and prints its output, which it returns. */
function run({ name, argv: [file = "", ...argv] }: Step): string {
  const startedAt = performance.now();
  const load = loadavg()[0] ?? 0;
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, file), ...argv], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  process.stdout.write(stdout);
  if (status !== 0) failed.push(name);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(
    `\n<!-- ${name}: ${seconds} s, status ${String(status)}, load before it ${load.toFixed(1)} -->\n`,
  );
  return stdout;
}
