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

/**
 * Sets the limits and becomes the program in its arguments, behind the limits of the data segment in KiB and of CPU time in
 * seconds. A worker writes no core file, which could have gigabytes. A limit that the system does not have or that is already
 * lower is left as it is.
 */
const script = `{ ulimit -c 0; ulimit -d "$1"; ulimit -t "$2"; } 2>/dev/null
shift 2
exec "$@"`;

/** Limits of a process; null for none. */
interface ProcessLimits {
  readonly dataKibibytes: number | null;
  readonly cpuSeconds: number | null;
}

type Launcher = readonly [program: string, argumentsOf: (limits: ProcessLimits) => readonly string[]];

/** Programs that set limits and become another program, in order of preference. The image has no shell, but `prlimit`. */
const launchers: readonly Launcher[] = [
  [
    "/bin/sh",
    ({ dataKibibytes, cpuSeconds }) =>
      ["-c", script, "worker"].concat([dataKibibytes, cpuSeconds].map((limit) => String(limit ?? "unlimited"))),
  ],
  [
    "/usr/bin/prlimit",
    ({ dataKibibytes, cpuSeconds }) => [
      "--core=0",
      ...(dataKibibytes === null ? [] : [`--data=${String(dataKibibytes * 1024)}`]),
      ...(cpuSeconds === null ? [] : [`--cpu=${String(cpuSeconds)}`]),
      "--",
    ],
  ],
];

/** Program and arguments. */
export interface WorkerProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the command that starts a worker. Without a program that sets limits (Windows) only V8 limits the memory. `isThere`
 * tells which files exist.
 */
export function workerProgram(
  { file, memory, cpuSecondsMax }: Omit<WorkerOptions, "clock">,
  isThere: (path: string) => boolean = existsSync,
): WorkerProgram {
  const { heapMegabytesMax, buffersMegabytesMax } = memory;
  const flags = [
    `--max-old-space-size=${String(heapMegabytesMax)}`,
    `--max-semi-space-size=${String(semiSpaceMegabytes)}`,
  ];
  const program = nodeProgram(file, flags);
  const [command, argumentsOf] = launchers.find(([path]) => isThere(path)) ?? [];
  if (command === undefined) return { command: process.execPath, args: program };
  const limits = {
    dataKibibytes:
      buffersMegabytesMax === null
        ? null
        : (reservedMegabytes + youngMegabytes + heapMegabytesMax + buffersMegabytesMax) * 1024,
    cpuSeconds: cpuSecondsMax === null ? null : Math.ceil(cpuSecondsMax),
  };
  return { command, args: [...(argumentsOf?.(limits) ?? []), process.execPath, ...program] };
}

/** Returns the arguments with which Node runs a module; the build of the single executable replaces it. */
function nodeProgram(file: URL, flags: readonly string[]): readonly string[] {
  return [...flags, fileURLToPath(file)];
}
