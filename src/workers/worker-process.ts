/** Worker processes, and their contract with the slots of an RPC. */
import type { Socket } from "node:net";
import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync, existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ApartPipe } from "./apart-bytes.ts";
import { workerSettingsVariable } from "./answer-calls.ts";
import type { Clock } from "../core/clock.ts";

/** Memory that a worker may use, in MiB. */
export interface WorkerMemory {
  /** Old generation of its JavaScript heap. */
  readonly heapMegabytesMax: number;
  /** Memory outside of the heap (buffers); null without a limit, for workers that start programs, which would inherit it. */
  readonly buffersMegabytesMax: number | null;
}

/** Options of a worker. */
export interface WorkerOptions {
  /** The worker's module, which calls `answerCalls`. */
  readonly file: URL;
  /** Plain values that the worker reads with `readWorkerSettings`. */
  readonly workerData: unknown;
  readonly memory: WorkerMemory;
  /** Seconds of CPU time after which the operating system ends a worker; null without a limit. */
  readonly cpuSecondsMax: number | null;
  readonly clock: Pick<Clock, "after">;
}

/** Events of a worker; `exited` is called last and once, with the error that ended it. */
export interface WorkerEvents {
  readonly message: (message: unknown) => void;
  readonly exited: (error: unknown) => void;
}

/** Running worker. */
export interface RunningWorker {
  /** Posts a message. */
  post(message: unknown): void;
  /** Keeps the process of the service alive while `isBusy`; an idle worker does not. */
  setBusy(isBusy: boolean): void;
  /** Terminates the worker and resolves when it has exited. */
  terminate(): Promise<void>;
}

/** Starts a worker. */
export type OpenWorker = (options: WorkerOptions, events: WorkerEvents) => RunningWorker;

/** Options of a worker process; those of an RPC suffice. */
export interface WorkerProcessOptions extends WorkerOptions {
  /** Environment of the process and of those that it starts; the variables that Node needs by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Kills the processes that the worker has started; called before the worker exits, and after it has exited. */
  readonly killChildren?: () => void;
}

/** Milliseconds after the disconnect until a worker process that has started others is killed. */
const exitMsMax = 3000;
/** Length of the standard error output that is reported with an exit, in UTF-16 units. */
const errorOutputLengthMax = 4000;
/** Lines by which V8 and Node say why a process aborted; the stacks around them say nothing to operators. */
const fatalLine = /^.*(?:FATAL ERROR|Fatal process out of memory|Allocation failed).*$/im;

/**
 * Environment variables that workers inherit, because programs need them; keys and addresses of databases are not among
 * them. With the compile cache, modules load in three quarters of the CPU time.
 */
const inheritedVariables =
  /^(?:PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|FONTCONFIG_\w+|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|MALLOC_\w+|SystemRoot|SystemDrive|windir)$/;

/** Returns the part of the environment that workers inherit. */
export function workerEnvironment(): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => inheritedVariables.test(name)));
}

/**
 * Starts a worker in a process of its own, with limits of the operating system: V8 ends the whole process when its memory is
 * exhausted, whichever thread exhausted it. Only the event loop that started a process reaps it, and the children of a
 * process that exits are reaped by init.
 */
export function openWorkerProcess(options: WorkerProcessOptions, events: WorkerEvents): RunningWorker {
  const { workerData, env = workerEnvironment(), killChildren, clock } = options;
  const { command, args } = workerProgram(options);
  const child = spawn(command, args, {
    serialization: "advanced",
    env: { ...env, [workerSettingsVariable]: JSON.stringify(workerData) },
    stdio: ["ignore", "ignore", "pipe", "ipc", "pipe"],
  });
  preferAsVictim(child.pid);
  const exited = Promise.withResolvers<void>();
  observe(child, killChildren, (cause) => {
    events.exited(cause);
    exited.resolve();
  });
  const pipe = new ApartPipe(child.stdio[4] as Socket);
  child.on("message", (message) => void pipe.receive(message).then(events.message));
  setReferenced(child, false);
  let isTerminated = false;
  return {
    post: (message) => {
      // The exit event reports a process that has exited meanwhile.
      pipe.post(message, (one) => child.send(one as object, () => undefined));
    },
    setBusy: (isBusy) => setReferenced(child, isBusy),
    terminate: async () => {
      if (!isTerminated) {
        isTerminated = true;
        setReferenced(child, true);
        killChildren?.();
        if (killChildren === undefined) child.kill("SIGKILL");
        else if (child.connected) child.disconnect();
        const stopTimer = clock.after(exitMsMax, () => child.kill("SIGKILL"));
        void exited.promise.then(stopTimer);
      }
      await exited.promise;
    },
  };
}

/** Makes the kernel kill the process before the service when memory runs out (proc(5), `oom_score_adj`). */
function preferAsVictim(pid: number | undefined): void {
  try {
    if (pid !== undefined) writeFileSync(`/proc/${String(pid)}/oom_score_adj`, "1000");
  } catch {
    // Not Linux, or the process has exited already, which its exit event reports.
  }
}

/** Calls `onExit` once, with the reason, when the process has exited and its children are killed. */
function observe(
  child: ChildProcess,
  killChildren: WorkerProcessOptions["killChildren"],
  onExit: (cause: Error) => void,
): void {
  let errorOutput = "";
  let hasExited = false;
  const finish = (reason: string): void => {
    if (hasExited) return;
    hasExited = true;
    killChildren?.();
    const detail = fatalLine.exec(errorOutput)?.[0] ?? errorOutput;
    onExit(new Error(detail.trim() === "" ? reason : `${reason}: ${detail.trim()}`));
  };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errorOutput = (errorOutput + text).slice(-errorOutputLengthMax);
  });
  child.on("error", (error) => {
    // Also emitted when a message or a signal cannot be sent; only a process that did not start has no id.
    if (child.pid === undefined) finish(error.message);
  });
  child.once("exit", (code, signal) => {
    killChildren?.();
    // Not the event `close`, which is not emitted for a process that was disconnected from this side.
    const reason = `the worker process exited with ${signal ?? `code ${String(code)}`}`;
    if (child.stderr?.closed === false) child.stderr.once("close", () => finish(reason));
    else finish(reason);
  });
}

/** Refs or unrefs the process and its channel. */
function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  const act = isReferenced ? "ref" : "unref";
  child[act]();
  child.channel?.[act]();
  for (const stream of child.stdio.slice(2)) {
    if (stream !== null && stream !== undefined && "ref" in stream) (stream as Socket)[act]();
  }
}

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
interface WorkerProgram {
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
