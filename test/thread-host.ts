/** Worker thread that executes the module of a thread again for each {@link ThreadStart} (see `reused-threads.ts`). */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { parentPort, workerData, type MessagePort } from "node:worker_threads";

/** Message to this thread, which executes the module; the response says that the module has closed its port. */
export interface ThreadStart {
  /** `workerData` of the module. */
  readonly settings: unknown;
  /** `parentPort` of the module. */
  readonly port: MessagePort;
}

const path = fileURLToPath(workerData as string);
const source = readFileSync(path, "utf8").replace(/^export \{\};$/m, "");
// The module is compiled once; each execution has variables of its own.
const execute = compileFunction(`"use strict";${source}`, [], { filename: path }) as () => void;
const threads = process.getBuiltinModule("node:worker_threads");

parentPort?.on("message", ({ settings, port }: ThreadStart) => {
  Object.assign(threads, { parentPort: port, workerData: settings });
  port.once("close", () => parentPort?.postMessage("closed"));
  execute();
});
