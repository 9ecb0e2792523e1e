/** Visits of links of mails in a browser, with scripts. */
import type { BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import type { PageFetch, RequestedVisit } from "../core/page-request.ts";
import { workerUrl } from "../core/worker-url.ts";
import { WorkerRpc } from "../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../workers/worker-slot.ts";
import type { RunningWorker, WorkerEvents } from "../workers/worker-contract.ts";
import { browserWorkerMemory, openBrowserProcess } from "./browser-process.ts";
import { findBrowser, type BrowserChoice, type FoundBrowser } from "./find-browser.ts";
import type { PageRequested, PageVisit, VisitMessage, VisitWorkerSettings } from "./visit-request.ts";

/** Dependencies and limits of a {@link PageVisitor}. */
export interface PageVisitorOptions {
  readonly choice: BrowserChoice;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** Registry that failures, backlog and ages are reported to. */
  readonly tasks: BackgroundTasks;
  /** Called whenever a browser process is started. */
  readonly onStart?: () => void;
  /** Longest visit in milliseconds; 10 s by default. */
  readonly visitMsMax?: number;
  /** Milliseconds after which the browser of a visit that has not ended by itself is killed; 20 s by default. */
  readonly killMsMax?: number;
  /** Memory of the browser's processes at which the browser is killed; 1 GiB by default. */
  readonly memoryBytesMax?: number;
}

const startMsMax = 90_000;
const usualVisitMsMax = 10_000;
const usualKillMsMax = 20_000;
const usualMemoryBytesMax = 1024 * 1024 * 1024;
/** Visits that wait: scans of 16 mails have 4 each. */
const waitingCountMax = 64;

interface CurrentVisit {
  readonly visit: number;
  readonly fetch: PageFetch;
}

/**
 * Browser of link scanners: driven by a process of its own, apart from that of previews, one page at a time, each in a
 * context of its own. The browser has no network; every request of a page is sent by the `fetch` of its visit. It starts with
 * the first visit, exits when idle, and is killed when a page takes too much time or memory.
 */
export class PageVisitor {
  readonly #options: PageVisitorOptions;
  readonly #rpc: WorkerRpc<RequestedVisit & { readonly visit: number }, null>;
  readonly #exits = new Set<Promise<void>>();
  #process: RunningWorker | null = null;
  #current: CurrentVisit | null = null;
  #lastVisit = 0;

  constructor(options: PageVisitorOptions) {
    this.#options = options;
    const { tasks, clock, visitMsMax: msMax = usualVisitMsMax, killMsMax = usualKillMsMax } = options;
    this.#rpc = new WorkerRpc({
      task: "rendered_visits",
      degrades: "scanners that render pages do not open links",
      file: workerUrl(import.meta.url, "visit-worker"),
      workerData: null,
      memory: browserWorkerMemory,
      startMsMax,
      callMsMax: killMsMax,
      waitingPerKeyCountMax: waitingCountMax,
      waitingCountMax,
      tasks,
      clock,
      openWorker: (_options, events) => this.#openProcess(events),
      prepare: ({ visit, url, userAgent, fetch }): PageVisit => {
        this.#current = { visit, fetch };
        return { visit, url, userAgent, msMax };
      },
    });
  }

  /**
   * Visits a page until it has requested nothing for a second, or its time is over. Resolves with the reason for which the page
   * was not rendered or not to its end; null otherwise. Never rejects.
   */
  async visit(requested: RequestedVisit): Promise<string | null> {
    const found = findBrowser(this.#options.choice);
    if (found.kind === "none") return `Not rendered: ${found.problem}`;
    const visit = ++this.#lastVisit;
    const stop = (): void => {
      if (this.#current?.visit === visit) this.#post({ kind: "end-visit", visit });
    };
    requested.signal.addEventListener("abort", stop);
    try {
      await this.#rpc.call({ ...requested, visit }, { key: requested.key, signal: requested.signal });
      return null;
    } catch (error) {
      return reasonOf(error, requested.signal);
    } finally {
      requested.signal.removeEventListener("abort", stop);
      if (this.#current?.visit === visit) this.#current = null;
    }
  }

  /** Stops the browser; visits end. Resolves when all processes have exited. */
  async close(): Promise<void> {
    await this.#rpc.close();
    await Promise.all(this.#exits);
  }

  #openProcess(events: WorkerEvents): RunningWorker {
    const browser: FoundBrowser = findBrowser(this.#options.choice);
    if (browser.kind === "none") throw new Problem("unavailable", { text: browser.problem });
    const { memoryBytesMax = usualMemoryBytesMax, clock, onStart } = this.#options;
    onStart?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exits.add(promise);
    const started = openBrowserProcess(
      {
        worker: "visit-worker",
        settingsFor: (folder): VisitWorkerSettings => ({ browser, folder, memoryBytesMax }),
        clock,
      },
      {
        message: (message) => {
          if (isPageRequest(message)) void this.#answer(message);
          else events.message(message);
        },
        exited: (error) => {
          this.#exits.delete(promise);
          resolve();
          events.exited(error);
        },
      },
    );
    this.#process = started;
    return started;
  }

  async #answer({ number, request }: PageRequested): Promise<void> {
    const current = this.#current;
    const response = current?.visit === request.visit ? await current.fetch(request) : null;
    this.#post({ kind: "page-response", number, response });
  }

  #post(message: VisitMessage): void {
    this.#process?.post(message);
  }
}

function isPageRequest(message: unknown): message is PageRequested {
  return typeof message === "object" && message !== null && "kind" in message && message.kind === "page-request";
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "The scan ended before the page was rendered";
  if (error instanceof WorkerCallFailed) return "Not rendered to its end: the page needs too much time or memory";
  if (error instanceof Problem && error.code === "too_many_requests") return "Not rendered: too many pages wait";
  // Failures of the browser's process are in the log, because its background task reports them.
  return "Not rendered: Chromium could not be started; the service's log says why";
}
