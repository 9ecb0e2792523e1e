import { Worker, type ResourceLimits } from "node:worker_threads";

/** Options of a worker thread. */
export interface WorkerThreadOptions {
  readonly file: URL;
  /** `workerData` of the thread; must be cloneable. */
  readonly workerData: unknown;
  readonly resourceLimits: ResourceLimits;
}

/** Events of a worker; `exited` is called last and once, with the error that ended it. */
export interface WorkerThreadEvents {
  readonly message: (message: unknown) => void;
  readonly exited: (error: unknown) => void;
}

/** Running worker. */
export interface WorkerThread {
  /** Posts a message and transfers the buffers `moved`. */
  post(message: unknown, moved?: readonly ArrayBuffer[]): void;
  /** Keeps the process alive while `isBusy`; an idle worker does not. */
  setBusy(isBusy: boolean): void;
  /** Terminates the worker and resolves when it has exited. */
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
