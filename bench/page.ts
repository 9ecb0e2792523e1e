/**
 * Runs the benchmarks of docs/reference/performance.md in the order of the page, on a build of the present sources: `npm run
 * bench:page`. Prints their tables, and how long each took. `-- --long` adds those of an hour and of a million messages,
 * `-- --only=providers,callbacks` runs some. For comparable figures, nothing else may run on the machine; where only some of
 * its cores are free, start it with `taskset`.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

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
  ...["memory", "faults", "list", "typing", "web"].map((name) => ({ name, argv: ["main.ts", name] })),
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
const only = options
  .find((option) => option.startsWith("--only="))
  ?.slice("--only=".length)
  .split(",");
const unknown = (only ?? []).filter((name) => steps.every((step) => step.name !== name));
if (unknown.length > 0) {
  throw new Error(`unknown: ${unknown.join(", ")}; there are ${steps.map(({ name }) => name).join(", ")}`);
}
const isLong = options.includes("--long");
const chosen = steps.filter((step) => only?.includes(step.name) ?? (isLong || step.isLong !== true));

const failed: string[] = [];
run("build", join("..", "scripts", "build.ts"), []);
for (const { name, argv } of chosen) run(name, argv[0] ?? "", argv.slice(1));
if (failed.length > 0) {
  process.stdout.write(`\nfailed: ${failed.join(", ")}\n`);
  process.exitCode = 1;
}

function run(name: string, file: string, argv: readonly string[]): void {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file), ...argv], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) failed.push(name);
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(`\n<!-- ${name}: ${seconds.toFixed(0)} s, status ${String(status)} -->\n`);
}
