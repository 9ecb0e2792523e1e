/** Environment variable that contains the settings of a worker as JSON. */
export const workerSettingsVariable = "RESTANTE_WORKER_SETTINGS";

/** Returns the settings of this worker. */
export function readWorkerSettings(): unknown {
  const text = process.env[workerSettingsVariable];
  if (text === undefined) throw new Error("this module must be run as a worker");
  return JSON.parse(text);
}
