import type { Clock } from "../core/clock.ts";
import { workerUrl } from "../core/worker-url.ts";
import { openWorkerProcess } from "../workers/worker-process.ts";
import type { WorkerThread, WorkerThreadEvents } from "../workers/worker-thread.ts";
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

const heapMegabytesMax = 512;
/**
 * Environment variables that the process and the browser inherit, because programs need them; with the compile cache, the
 * library that drives the browser loads in three quarters of the CPU time.
 */
const inheritedVariables =
  /^(?:PATH|HOME|LANG|LC_\w+|TZ|FONTCONFIG_\w+|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|SystemRoot|SystemDrive|windir)$/;

/** Starts a process that drives a browser of its own; the browser's temporary files are removed when both have exited. */
export function openBrowserProcess(options: BrowserProcessOptions, events: WorkerThreadEvents): WorkerThread {
  const { worker, settingsFor, clock } = options;
  const folder = openBrowserFolder();
  const sessionFolder = openSessionFolder(folder);
  const passed = Object.entries(process.env).filter(([name]) => inheritedVariables.test(name));
  const env = { ...Object.fromEntries(passed), TMPDIR: sessionFolder, TEMP: sessionFolder, TMP: sessionFolder };
  return openWorkerProcess(
    {
      file: workerUrl(import.meta.url, worker),
      workerData: settingsFor(folder),
      env,
      heapMegabytesMax,
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
