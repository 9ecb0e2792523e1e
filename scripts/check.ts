/**
 * Runs all checks of `npm test`: the static checks in sequence, concurrently with the tests, then the check of the package.
 * The output of a static check is printed when it has exited, so that it is not mixed with that of the tests. The exit
 * status is 1 if any check failed; a failure does not skip other checks.
 */
import { spawn } from "node:child_process";

const staticChecks = ["check:format", "check:lint", "check:types", "check:dead"];

/**
 * Settings of the type checker and of the type-aware linter, which are written in Go: their heaps may grow to five times
 * the live objects between collections, not two. That saves a quarter of their CPU time for a gigabyte.
 */
const environment = { GOGC: "400", ...process.env };

interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly output: string;
}

/** Runs an npm script; its output goes to the terminal, or is collected. */
async function runScript(name: string, stdio: "inherit" | "pipe"): Promise<Outcome> {
  const npm = process.env["npm_execpath"] ?? "npm";
  const [command, args] = /\.[cm]?js$/.test(npm) ? [process.execPath, [npm]] : [npm, []];
  const child = spawn(command, [...args, "run", "--silent", name], {
    env: environment,
    stdio: ["ignore", stdio, stdio],
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes: Buffer) => output.push(bytes));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { name, ok: status === 0, output: Buffer.concat(output).toString() };
}

async function runStaticChecks(): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const name of staticChecks) {
    const outcome = await runScript(name, "pipe");
    outcomes.push(outcome);
    process.stdout.write(`${outcome.ok ? "passed" : "FAILED"}: npm run ${name}\n${outcome.ok ? "" : outcome.output}`);
  }
  return outcomes;
}

const [checked, tested] = await Promise.all([runStaticChecks(), runScript("test:all", "inherit")]);
const packaged = await runScript("check:package", "inherit");
const failed = [...checked, tested, packaged].filter(({ ok }) => !ok);
// Repeated at the end of the output.
for (const { name, output } of failed) process.stdout.write(`\nFAILED: npm run ${name}\n${output}`);
process.exitCode = failed.length === 0 ? 0 : 1;
