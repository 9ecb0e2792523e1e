import { Worker, type ResourceLimits } from "node:worker_threads";

/** How a worker thread is started. */
export interface WorkerThreadOptions {
  readonly file: URL;
  /** What the thread finds in `workerData`; survives structured cloning. */
  readonly workerData: unknown;
  readonly resourceLimits: ResourceLimits;
}

/** Receives what happens to a thread; `exited` comes last and once, with the error that ended it, if one did. */
export interface WorkerThreadEvents {
  readonly message: (message: unknown) => void;
  readonly exited: (error: unknown) => void;
}

/** A running worker thread. */
export interface WorkerThread {
  /** Posts a message; the buffers `moved` belong to the thread from then on. */
  post(message: unknown, moved?: readonly ArrayBuffer[]): void;
  /** Keeps the process alive while `isBusy`; an idle thread does not. */
  setBusy(isBusy: boolean): void;
  /** Resolves when the thread has ended. */
  terminate(): Promise<void>;
}

/** Starts a worker thread. */
export function openWorkerThread(options: WorkerThreadOptions, events: WorkerThreadEvents): WorkerThread {
  const { file, workerData, resourceLimits } = options;
  const worker = new Worker(file, { workerData, resourceLimits });
  let cause: unknown = new Error("the worker thread exited");
  worker.on("message", events.message);
  worker.on("error", (error) => {
    cause = error;
  });
  worker.once("exit", () => {
    events.exited(cause);
  });
  worker.unref();
  return {
    post: (message, moved = []) => {
      worker.postMessage(message, [...moved]);
    },
    setBusy: (isBusy) => {
      if (isBusy) worker.ref();
      else worker.unref();
    },
    terminate: async () => {
      await worker.terminate();
    },
  };
}
