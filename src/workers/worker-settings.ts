import { isMainThread, workerData } from "node:worker_threads";

/** Environment variable in which a worker process finds its worker data. */
export const workerSettingsVariable = "RESTANTE_WORKER_SETTINGS";

/** Returns what the worker was started with, in a worker thread and in a worker process. */
export function readWorkerSettings(): unknown {
  if (!isMainThread) return workerData;
  const text = process.env[workerSettingsVariable];
  if (text === undefined) throw new Error("this file is the body of a worker");
  return JSON.parse(text);
}
