import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  processorMs,
  processTree,
  proportionalMegabytes,
  residentMegabytes,
  startBareHttp,
  startService,
  type Program,
  type ServiceForm,
} from "./child.ts";
import { median, printTable } from "./report.ts";

/** Time after which a service is idle. */
const idleMs = 2500;

/** Figures of one start. */
interface Start {
  readonly readyMs: number;
  /** Of all processes. */
  readonly cpuMs: number;
  readonly processes: number;
  readonly threads: number;
  /** Of the service. */
  readonly residentMegabytes: number;
  readonly proportionalMegabytes: number;
}

/**
 * Measures the time and CPU time from the start of the process to the first SMTP greeting (HTTP response of the floor), with
 * HTTPS and an existing data directory, and threads and memory of the idle process. The rows take turns; the first turn, in
 * which data directories and compile caches are created, does not count.
 */
export async function benchStart(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "restante-bench-start-"));
  const hasBuild = existsSync(join(import.meta.dirname, "../dist/cli/main.js"));
  const service = (form: ServiceForm) => async (): Promise<Program> =>
    startService(form, { RESTANTE_DATA_DIR: join(folder, form), RESTANTE_HTTPS_PORT: "0" });
  const programs: readonly (readonly [string, () => Promise<Program>])[] = [
    ["bare node:http", async () => startBareHttp(join(import.meta.dirname, "bare-http.ts"))],
    ...(hasBuild ? [["published package", service("build")] as const] : []),
    ["scripts/start.js", service("source")],
    ["npm start", service("npm")],
  ];
  const starts = programs.map((): Start[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [position, [, start]] of programs.entries()) {
      const figures = await measureStart(start);
      if (round > 0) starts[position]?.push(figures);
    }
  }
  rmSync(folder, { recursive: true });
  const [floor = []] = starts;
  const rows = programs.map(([name], position) => rowOf(name, starts[position] ?? [], floor));
  printTable(
    "From start to ready for mail (target: 450 ms), and the idle process (target: 110 MB)",
    ["", "ms", "to floor", "CPU ms", "to floor", "processes", "threads", "RSS, MB", "to floor", "PSS, MB", "to floor"],
    rows,
  );
}

function rowOf(name: string, figures: readonly Start[], floor: readonly Start[]): readonly string[] {
  const both = (key: keyof Start): readonly string[] => {
    const value = medianOf(figures, key);
    return [value.toFixed(0), `${(value / medianOf(floor, key)).toFixed(1)}×`];
  };
  return [
    name,
    ...both("readyMs"),
    ...both("cpuMs"),
    medianOf(figures, "processes").toFixed(0),
    medianOf(figures, "threads").toFixed(0),
    ...both("residentMegabytes"),
    ...both("proportionalMegabytes"),
  ];
}

async function measureStart(start: () => Promise<Program>): Promise<Start> {
  const program = await start();
  const processes = processTree(program.pid);
  const cpuMs = processes.map(processorMs).reduce((sum, one) => sum + one);
  await pause(idleMs);
  const pid = processes.at(-1) ?? program.pid;
  const figures = {
    readyMs: program.readyMs,
    cpuMs,
    processes: processTree(program.pid).length,
    threads: readdirSync(`/proc/${String(pid)}/task`).length,
    residentMegabytes: residentMegabytes(pid),
    proportionalMegabytes: proportionalMegabytes(pid),
  };
  await program.stop();
  return figures;
}

function medianOf(starts: readonly Start[], key: keyof Start): number {
  return median(starts.map((start) => start[key]));
}
