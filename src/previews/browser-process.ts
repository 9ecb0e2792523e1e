import type { BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import { workerUrl } from "../core/worker.ts";
import {
  type RunningWorker,
  type WorkerEvents,
  type WorkerMemory,
  openWorkerProcess,
  workerEnvironment,
} from "../workers/worker-process.ts";
import { type WorkerCaller, type WorkerKind, type WorkerRequests, WorkerRpc } from "../workers/worker-rpc.ts";
import { openBrowserFolder, openSessionFolder, removeFolder } from "./browser-folder.ts";
import { type BrowserChoice, findBrowser, type FoundBrowser } from "./find-browser.ts";
import { killSession } from "./process-group.ts";

/** Dependencies and limits of a browser. */
export interface BrowserOptions {
  readonly choice: BrowserChoice;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** Registry that failures, backlog and ages are reported to. */
  readonly tasks: BackgroundTasks;
  /** Called whenever a browser process is started. */
  readonly onStart?: () => void;
  /** Memory of the browser's processes at which the browser is killed. */
  readonly memoryBytesMax?: number;
}

/** Settings of the process that drives a browser. */
export interface BrowserSettings {
  readonly browser: Exclude<FoundBrowser, { kind: "none" }>;
  /** Folder that packages are unpacked to. */
  readonly folder: string;
  /** Memory of the browser's processes at which the browser is killed. */
  readonly memoryBytesMax: number;
}

/** Use of a browser: its worker, and the limits of its calls. */
interface BrowserUse<Request> extends Omit<WorkerKind, "file" | "memory"> {
  /** Name of the worker's module in this folder. */
  readonly worker: "render-worker" | "visit-worker";
  readonly prepare: NonNullable<WorkerRequests<Request>["prepare"]>;
  /** Memory of the browser's processes unless the options have another limit. */
  readonly memoryBytesMax: number;
  /** Settings of the worker besides those of the browser. */
  readonly settings?: object;
  /** Takes a message of the worker; returns whether it was none of the RPC. */
  readonly take?: (message: unknown) => boolean;
}

/** Longest start of a browser, in milliseconds; the first start on a machine includes unpacking it. */
const startMsMax = 90_000;
/** The browser would inherit a limit of the system; its own memory is watched. */
const memory: WorkerMemory = { heapMegabytesMax: 512, buffersMegabytesMax: null };

/**
 * Browser that is driven by a process of its own, one call at a time. Keys are served round-robin. The process starts with the
 * first call and exits when idle; it is killed with its browser when a call takes too much time, and the next call gets another.
 */
export class DrivenBrowser<Request, Answer> {
  readonly #options: BrowserOptions;
  readonly #use: BrowserUse<Request>;
  readonly #rpc: WorkerRpc<Request, Answer>;
  /** One promise for each process that has not exited. */
  readonly #exits = new Set<Promise<void>>();
  #found: FoundBrowser | null = null;
  #process: RunningWorker | null = null;

  constructor(options: BrowserOptions, use: BrowserUse<Request>) {
    const { tasks, clock } = options;
    this.#options = options;
    this.#use = use;
    this.#rpc = new WorkerRpc<Request, Answer>({
      ...use,
      file: workerUrl(import.meta.url, use.worker),
      workerData: null,
      memory,
      startMsMax,
      tasks,
      clock,
      openWorker: (_options, events) => this.#open(events),
    });
  }

  /** Returns a sentence about a missing dependency and how to install it; null if none is missing. Repeats the search while one is missing. */
  problem(): string | null {
    const found = this.#find();
    return found.kind === "none" ? found.problem : null;
  }

  /** Sends a request to the worker. Rejects as {@link WorkerRpc} does. */
  async call(request: Request, caller: WorkerCaller): Promise<Answer> {
    return this.#rpc.call(request, caller);
  }

  /** Sends a message besides the calls to the process that was started last, if any. */
  post(message: object): void {
    this.#process?.post(message);
  }

  /** Stops the browser; running and queued calls are rejected. Resolves when all processes have exited. */
  async close(): Promise<void> {
    await this.#rpc.close();
    await Promise.all(this.#exits);
  }

  #find(): FoundBrowser {
    if (this.#found === null || this.#found.kind === "none") this.#found = findBrowser(this.#options.choice);
    return this.#found;
  }

  /** Starts the process; the browser's temporary files are removed when both have exited. */
  #open(events: WorkerEvents): RunningWorker {
    const browser = this.#find();
    if (browser.kind === "none") throw new Problem("unavailable", { text: browser.problem });
    const { worker, settings, take, memoryBytesMax: usualBytesMax } = this.#use;
    const { clock, onStart, memoryBytesMax = usualBytesMax } = this.#options;
    onStart?.();
    const exit = Promise.withResolvers<void>();
    this.#exits.add(exit.promise);
    const folder = openBrowserFolder();
    const sessionFolder = openSessionFolder(folder);
    this.#process = openWorkerProcess(
      {
        file: workerUrl(import.meta.url, worker),
        workerData: { ...settings, browser, folder, memoryBytesMax } satisfies BrowserSettings,
        env: { ...workerEnvironment(), TMPDIR: sessionFolder, TEMP: sessionFolder, TMP: sessionFolder },
        memory,
        cpuSecondsMax: null,
        killChildren: () => {
          killSession(sessionFolder);
        },
        clock,
      },
      {
        message: (message) => {
          if (take?.(message) !== true) events.message(message);
        },
        exited: (error) => {
          removeFolder(sessionFolder);
          this.#exits.delete(exit.promise);
          exit.resolve();
          events.exited(error);
        },
      },
    );
    return this.#process;
  }
}
