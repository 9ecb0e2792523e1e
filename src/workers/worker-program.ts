/** Command that starts a worker process within limits of the operating system. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { WorkerOptions } from "./worker-contract.ts";

/**
 * Address space in MiB that a worker takes before it has loaded a module, which counts against the limit of its data segment:
 * V8 reserves 512 MiB for code, and threads have stacks.
 */
const reservedMegabytes = 640;

/** Heap besides the old generation in MiB: the young generation, and the margin with which V8 collects before it gives up. */
const youngMegabytes = 96;

/** Semi-space of a worker in MiB: as on the main thread; by default, it would keep 34 MB after the first large mails. */
const semiSpaceMegabytes = 8;

const shell = "/bin/sh";

/**
 * Sets the limits and becomes the program in its arguments, behind the limits of the data segment in KiB and of CPU time in
 * seconds. A worker writes no core file, which could have gigabytes, and is what the kernel kills first when memory runs out.
 * A limit that the system does not have or that is already lower is left as it is.
 */
const script = `{ ulimit -c 0; ulimit -d "$1"; ulimit -t "$2"; echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
shift 2
exec "$@"`;

/** Program and arguments. */
export interface WorkerProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/** Returns the command that starts a worker. Without a shell (Windows, images without one) only V8 limits the memory. */
export function workerProgram({ file, memory, cpuSecondsMax }: Omit<WorkerOptions, "clock">): WorkerProgram {
  const { heapMegabytesMax, buffersMegabytesMax } = memory;
  const flags = [
    `--max-old-space-size=${String(heapMegabytesMax)}`,
    `--max-semi-space-size=${String(semiSpaceMegabytes)}`,
  ];
  const program = nodeProgram(file, flags);
  if (!existsSync(shell)) return { command: process.execPath, args: program };
  const dataKibibytes =
    buffersMegabytesMax === null
      ? "unlimited"
      : String((reservedMegabytes + youngMegabytes + heapMegabytesMax + buffersMegabytesMax) * 1024);
  const cpuSeconds = cpuSecondsMax === null ? "unlimited" : String(Math.ceil(cpuSecondsMax));
  return {
    command: shell,
    args: ["-c", script, "worker", dataKibibytes, cpuSeconds, process.execPath, ...program],
  };
}

/** Returns the arguments with which Node runs a module; the build of the single executable replaces it. */
function nodeProgram(file: URL, flags: readonly string[]): readonly string[] {
  return [...flags, fileURLToPath(file)];
}
