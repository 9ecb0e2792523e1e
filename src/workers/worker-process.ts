import type { Socket } from "node:net";
import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { ApartPipe } from "./apart-bytes.ts";
import { workerProgram } from "./worker-program.ts";
import { workerSettingsVariable } from "./worker-settings.ts";
import type { RunningWorker, WorkerEvents, WorkerOptions } from "./worker-contract.ts";

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
    setBusy: (isBusy) => {
      setReferenced(child, isBusy);
    },
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
    if (child.stderr?.closed === false)
      child.stderr.once("close", () => {
        finish(reason);
      });
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
