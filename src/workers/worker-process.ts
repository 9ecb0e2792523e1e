import { fork, type ChildProcess } from "node:child_process";
import type { Clock } from "../core/clock.ts";
import { workerSettingsVariable } from "./worker-settings.ts";
import type { WorkerThread, WorkerThreadEvents } from "./worker-thread.ts";

/** Options of a worker process. */
export interface WorkerProcessOptions {
  /** The worker's module, which calls `answerCalls`. */
  readonly file: URL;
  /** Plain values that the process reads with `readWorkerSettings`. */
  readonly workerData: unknown;
  /** Environment of the process and of those that it starts. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly heapMegabytesMax: number;
  /** Kills the processes that the worker has started; called before the worker exits, and after it has exited. */
  readonly killChildren: () => void;
  readonly clock: Pick<Clock, "after">;
}

/** Milliseconds after the disconnect until a worker process that has not exited is killed. */
const exitMsMax = 3000;
/** Length of the standard error output that is reported with an exit, in UTF-16 units. */
const errorOutputLengthMax = 4000;

/**
 * Starts a worker in a process of its own, for workers with child processes: only the event loop that started a process
 * reaps it, so a thread that exits before its children leaves zombies. The children of a process that exits are reaped by
 * init.
 */
export function openWorkerProcess(options: WorkerProcessOptions, events: WorkerThreadEvents): WorkerThread {
  const { file, workerData, env, heapMegabytesMax, killChildren, clock } = options;
  const child = fork(file, [], {
    serialization: "advanced",
    execArgv: [`--max-old-space-size=${String(heapMegabytesMax)}`],
    env: { ...env, [workerSettingsVariable]: JSON.stringify(workerData) },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const exited = Promise.withResolvers<void>();
  observe(child, killChildren, (cause) => {
    events.exited(cause);
    exited.resolve();
  });
  child.on("message", events.message);
  setReferenced(child, false);
  let isTerminated = false;
  return {
    post: (message) => {
      // The exit event reports a process that has exited meanwhile.
      child.send(message as object, () => undefined);
    },
    setBusy: (isBusy) => {
      setReferenced(child, isBusy);
    },
    terminate: async () => {
      if (!isTerminated) {
        isTerminated = true;
        setReferenced(child, true);
        killChildren();
        if (child.connected) child.disconnect();
        const stopTimer = clock.after(exitMsMax, () => child.kill("SIGKILL"));
        void exited.promise.then(stopTimer);
      }
      await exited.promise;
    },
  };
}

/** Calls `onExit` once, with the reason, when the process has exited and its children are killed. */
function observe(child: ChildProcess, killChildren: () => void, onExit: (cause: Error) => void): void {
  let errorOutput = "";
  let hasExited = false;
  const finish = (reason: string): void => {
    if (hasExited) return;
    hasExited = true;
    killChildren();
    onExit(new Error(errorOutput === "" ? reason : `${reason}: ${errorOutput.trim()}`));
  };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errorOutput = (errorOutput + text).slice(-errorOutputLengthMax);
  });
  child.on("error", (error) => {
    // Also emitted when a message or a signal cannot be sent; only a process that did not start has no id.
    if (child.pid === undefined) finish(error.message);
  });
  child.once("exit", (code, signal) => {
    killChildren();
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
  const errors = child.stderr;
  if (errors !== null && "ref" in errors)
    (errors as NonNullable<typeof errors> & Record<typeof act, () => void>)[act]();
}
