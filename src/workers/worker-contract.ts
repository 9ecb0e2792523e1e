/** Contract between the slots of an RPC and the processes that execute its calls. */
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
