import { isMainThread, workerData } from "node:worker_threads";

/** Environment variable that contains the worker data of a worker process. */
export const workerSettingsVariable = "RESTANTE_WORKER_SETTINGS";

/** Returns the worker data, in a worker thread and in a worker process. */
export function readWorkerSettings(): unknown {
  if (!isMainThread) return workerData;
  const text = process.env[workerSettingsVariable];
  if (text === undefined) throw new Error("this module must be run as a worker");
  return JSON.parse(text);
}
