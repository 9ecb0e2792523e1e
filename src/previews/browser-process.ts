import type { Clock } from "../core/clock.ts";
import { workerUrl } from "../core/worker-url.ts";
import { openWorkerProcess, workerEnvironment } from "../workers/worker-process.ts";
import type { RunningWorker, WorkerEvents, WorkerMemory } from "../workers/worker-contract.ts";
import { openBrowserFolder, openSessionFolder, removeFolder } from "./browser-folder.ts";
import { killSession } from "./process-group.ts";

/** Options of a browser process. */
export interface BrowserProcessOptions {
  /** Name of the worker's module in this folder. */
  readonly worker: "render-worker" | "visit-worker";
  /** Returns the settings of the worker, which unpacks packages to the folder. */
  readonly settingsFor: (folder: string) => object;
  readonly clock: Pick<Clock, "after">;
}

/** The browser would inherit a limit of the system; its own memory is watched. */
export const browserWorkerMemory: WorkerMemory = { heapMegabytesMax: 512, buffersMegabytesMax: null };

/** Starts a process that drives a browser of its own; the browser's temporary files are removed when both have exited. */
export function openBrowserProcess(options: BrowserProcessOptions, events: WorkerEvents): RunningWorker {
  const { worker, settingsFor, clock } = options;
  const folder = openBrowserFolder();
  const sessionFolder = openSessionFolder(folder);
  const env = { ...workerEnvironment(), TMPDIR: sessionFolder, TEMP: sessionFolder, TMP: sessionFolder };
  return openWorkerProcess(
    {
      file: workerUrl(import.meta.url, worker),
      workerData: settingsFor(folder),
      env,
      memory: browserWorkerMemory,
      cpuSecondsMax: null,
      killChildren: () => {
        killSession(sessionFolder);
      },
      clock,
    },
    {
      message: events.message,
      exited: (error) => {
        removeFolder(sessionFolder);
        events.exited(error);
      },
    },
  );
}
