/** Writer thread that is started before its store is opened, because a start of the service waits for this thread most. */
import type { MessagePort, ResourceLimits, Worker } from "node:worker_threads";
import { workerUrl } from "../../../core/worker.ts";
import type { WriterSettings } from "../connection/connection.ts";

/** Heap limits of threads; bodies and raw emails are outside of the heap. */
export const threadLimits: ResourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 3 };

interface EarlyWriter {
  readonly worker: Worker;
  /** Becomes 1 when the settings have been sent. */
  readonly signal: Int32Array<SharedArrayBuffer>;
}

let early: EarlyWriter | undefined;

/**
 * Starts a writer thread that loads its modules and then waits for {@link takeEarlyWriter}. It does not keep the process
 * alive, opens no file, and is dropped when it exits by itself.
 */
export function startEarlyWriter(): void {
  // Not imported above: the bundle would get it from the chunk of all commands, which would then load before the thread.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const file = workerUrl(import.meta.url, "writer-worker");
  const worker = new Worker(file, { workerData: signal, resourceLimits: threadLimits, execArgv: [], name: "writer" });
  worker.unref();
  early = { worker, signal };
  const drop = (): void => {
    if (early?.worker === worker) early = undefined;
  };
  // The thread that the store starts instead reports the cause.
  worker.once("error", drop).once("exit", drop);
}

/**
 * Returns the thread of {@link startEarlyWriter} with these settings, as if it had been started with them, to the first
 * caller; undefined when there is none.
 */
export function takeEarlyWriter(settings: WriterSettings): Worker | undefined {
  if (early === undefined) return undefined;
  const { worker, signal } = early;
  early = undefined;
  worker.removeAllListeners("error").removeAllListeners("exit").ref();
  worker.postMessage(settings);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
  return worker;
}

/** Returns the settings of a writer thread from its `workerData`; an early thread waits for them. */
export function readWriterSettings(port: MessagePort, workerData: unknown): WriterSettings {
  if (!(workerData instanceof Int32Array)) return workerData as WriterSettings;
  const { receiveMessageOnPort } = process.getBuiltinModule("node:worker_threads");
  Atomics.wait(workerData, 0, 0);
  return receiveMessageOnPort(port)?.message as WriterSettings;
}
