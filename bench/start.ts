import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  processorMs,
  proportionalMegabytes,
  residentMegabytes,
  startBareHttp,
  startService,
  type Program,
} from "./child.ts";
import { median, printTable } from "./report.ts";

/** Time after which a service is idle. */
const idleMs = 2500;

/** Figures of one start. */
interface Start {
  readonly readyMs: number;
  readonly cpuMs: number;
  readonly threads: number;
  readonly residentMegabytes: number;
  readonly proportionalMegabytes: number;
}

/**
 * Measures the time and CPU time from the start of the process to the first SMTP greeting (HTTP response of the floor), on a
 * fresh data directory, and threads and memory of the idle process. The rows take turns.
 */
export async function benchStart(rounds: number): Promise<void> {
  const hasBuild = existsSync(join(import.meta.dirname, "../dist/cli/main.js"));
  const programs: readonly (readonly [string, () => Promise<Program>])[] = [
    ["bare node:http", async () => startBareHttp(join(import.meta.dirname, "bare-http.ts"))],
    ["scripts/start.js", async () => startService("source")],
    ...(hasBuild ? [["published package", async () => startService("build")] as const] : []),
  ];
  const starts = programs.map((): Start[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [position, [, start]] of programs.entries()) starts[position]?.push(await measureStart(start));
  }
  const [floor = []] = starts;
  const rows = programs.map(([name], position) => {
    const figures = starts[position] ?? [];
    const both = (key: keyof Start): readonly string[] => {
      const value = medianOf(figures, key);
      return [value.toFixed(0), `${(value / medianOf(floor, key)).toFixed(1)}×`];
    };
    return [
      name,
      ...both("readyMs"),
      ...both("cpuMs"),
      medianOf(figures, "threads").toFixed(0),
      ...both("residentMegabytes"),
      ...both("proportionalMegabytes"),
    ];
  });
  printTable(
    "From start to ready for mail (target: 450 ms), and the idle process (target: 110 MB)",
    ["", "ms", "to floor", "CPU ms", "to floor", "threads", "RSS, MB", "to floor", "PSS, MB", "to floor"],
    rows,
  );
}

async function measureStart(start: () => Promise<Program>): Promise<Start> {
  const program = await start();
  const cpuMs = processorMs(program.pid);
  await pause(idleMs);
  const { pid, readyMs } = program;
  const figures = {
    readyMs,
    cpuMs,
    threads: readdirSync(`/proc/${String(pid)}/task`).length,
    residentMegabytes: residentMegabytes(pid),
    proportionalMegabytes: proportionalMegabytes(pid),
  };
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8").trim();
  await program.stop();
  if (children !== "") throw new Error(`the service keeps processes: ${children}`);
  return figures;
}

function medianOf(starts: readonly Start[], key: keyof Start): number {
  return median(starts.map((start) => start[key]));
}
