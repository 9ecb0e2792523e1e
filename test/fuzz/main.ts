/**
 * Fuzzes readers of outside bytes and listeners: `npm run fuzz`, one minute; `-- --minutes=120` for longer, `-- --target=mail`
 * for one target, `-- --keep` to add inputs that reach new code to the corpus, `-- --target=mail --replay=FILE` to run one
 * input. The targets take turns, each in a process of its own with bounded memory. Exits with 1 when an input broke a
 * guarantee: it threw, took too long, or ended the process. Such inputs are stored in `fuzz-findings`.
 */
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeInput } from "./corpus-files.ts";
import type { FuzzFigures, FuzzMessage } from "./messages.ts";
import { findTarget, fuzzTargets } from "./targets.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    target: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    keep: { type: "boolean", default: false },
    replay: { type: "string" },
  },
});

const findingsFolder = "fuzz-findings";
/** Time without a batch after which an input counts as endless. */
const stallMsMax = 60_000;
const heapMegabytes = 512;
/** Longest turn of one target, after which the next begins. */
const turnSecondsMax = 60;

interface Turn {
  readonly target: string;
  readonly seconds: number;
  readonly seed: number;
}

interface TurnResult extends FuzzFigures {
  readonly findings: readonly string[];
}

/** Returns the place of a fault: the first frames of its stack, without which each input would count as a fault of its own. */
function faultOf(reason: string): string {
  const frames = reason.split("\n").filter((line) => /^ +at /.test(line));
  return frames.length === 0 ? reason.replaceAll(/\d+/g, "0").slice(0, 200) : frames.slice(0, 3).join("\n");
}

/** Fuzzes one target in a process; stores inputs that broke a guarantee. */
async function runTurn({ target, seconds, seed }: Turn, folder: string): Promise<TurnResult> {
  const current = join(folder, "current");
  const keep = values.keep ? ["--keep"] : [];
  const args = [
    `--target=${target}`,
    `--seconds=${String(seconds)}`,
    `--seed=${String(seed)}`,
    `--current=${current}`,
    ...keep,
  ];
  const guard = new URL("loopback-only.ts", import.meta.url).href;
  const child = fork(new URL("fuzz-worker.ts", import.meta.url), args, {
    execArgv: [`--max-old-space-size=${String(heapMegabytes)}`, `--import=${guard}`],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  let figures: FuzzFigures = { runs: 0, blocks: 0, inputs: 0 };
  let isDone = false;
  const findings = new Map<string, string>();
  const store = (input: Buffer, reason: string): void => {
    const fault = faultOf(reason);
    if (findings.has(fault)) return;
    findings.set(fault, `${target}: ${writeInput(join(findingsFolder, target), input)}\n${reason}`);
  };
  let watch: NodeJS.Timeout | undefined;
  const restartWatch = (): void => {
    clearTimeout(watch);
    watch = setTimeout(() => child.kill("SIGKILL"), stallMsMax + 5000);
  };
  restartWatch();
  child.on("message", (message: FuzzMessage) => {
    restartWatch();
    if (message.kind === "finding") return store(Buffer.from(message.input, "base64"), message.reason);
    figures = message;
    isDone ||= message.kind === "done";
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  child.on("exit", (status, signal) => {
    resolve(signal ?? String(status));
  });
  const end = await promise;
  clearTimeout(watch);
  if (!isDone || end !== "0") store(readFileSync(current), `the process ended with ${end}`);
  return { ...figures, findings: [...findings.values()] };
}

async function replay(name: string, file: string): Promise<void> {
  await using open = await findTarget(name).open();
  await open.run(readFileSync(file));
  process.stdout.write(`${name} takes ${file}\n`);
}

/** Fuzzes the targets in turns until the time is over; returns the findings. */
async function fuzz(names: readonly string[], minutes: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "restante-fuzz-"));
  const endsAt = Date.now() + minutes * 60_000;
  const seconds = Math.max(1, Math.min(turnSecondsMax, (minutes * 60) / names.length));
  const findings: string[] = [];
  try {
    for (let turn = 0; turn === 0 || Date.now() < endsAt; turn += 1) {
      for (const target of names) {
        const seed = Number(values.seed) + turn;
        const result = await runTurn({ target, seconds, seed }, folder);
        findings.push(...result.findings);
        const { runs, blocks, inputs } = result;
        process.stdout.write(
          `${target.padEnd(28)} ${String(runs).padStart(8)} inputs, ${String(blocks).padStart(6)} blocks, ${String(inputs)} starts, ${String(result.findings.length)} findings (seed ${String(seed)})\n`,
        );
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return findings;
}

if (values.replay !== undefined) await replay(values.target ?? "", values.replay);
else {
  const names = values.target === undefined ? fuzzTargets.map(({ name }) => name) : [findTarget(values.target).name];
  const findings = await fuzz(names, Number(values.minutes));
  for (const finding of findings) process.stdout.write(`\n${finding}\n`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
