/** Visits of links of mails in a browser, with scripts. */
import { Problem } from "../core/errors.ts";
import type { PageFetch, PageRequest, PageResponse, RequestedVisit } from "../core/page-request.ts";
import { WorkerCallFailed } from "../workers/worker-slot.ts";
import { type BrowserOptions, DrivenBrowser } from "./browser-process.ts";

/** Dependencies and limits of a {@link PageVisitor}; 1 GiB of memory by default. */
export interface PageVisitorOptions extends BrowserOptions {
  /** Longest visit in milliseconds; 10 s by default. */
  readonly visitMsMax?: number;
  /** Milliseconds after which the browser of a visit that has not ended by itself is killed; 20 s by default. */
  readonly killMsMax?: number;
}

/** Visit of one URL. */
export interface PageVisit {
  readonly visit: number;
  readonly url: string;
  readonly userAgent: string;
  /** Longest time of the visit in milliseconds. */
  readonly msMax: number;
}

/** Message of the process besides those of the RPC: a request of the page. */
export interface PageRequested {
  readonly kind: "page-request";
  readonly number: number;
  readonly request: PageRequest;
}

/** Message to the process besides those of the RPC: a response to a request of the page, or the end of a visit. */
export type VisitMessage =
  | { readonly kind: "page-response"; readonly number: number; readonly response: PageResponse | null }
  | { readonly kind: "end-visit"; readonly visit: number };

/** Visits that wait: scans of 16 mails have 4 each. */
const waitingCountMax = 64;

interface CurrentVisit {
  readonly visit: number;
  readonly fetch: PageFetch;
}

/**
 * Browser of link scanners: a {@link DrivenBrowser} apart from that of previews, with a context for each page. The browser has
 * no network; every request of a page is sent by the `fetch` of its visit. It is also killed when a page takes too much memory.
 */
export class PageVisitor {
  readonly #browser: DrivenBrowser<RequestedVisit & { readonly visit: number }, null>;
  #current: CurrentVisit | null = null;
  #lastVisit = 0;

  constructor({ visitMsMax: msMax = 10_000, killMsMax = 20_000, ...options }: PageVisitorOptions) {
    this.#browser = new DrivenBrowser(options, {
      worker: "visit-worker",
      task: "rendered_visits",
      degrades: "scanners that render pages do not open links",
      callMsMax: killMsMax,
      waitingPerKeyCountMax: waitingCountMax,
      waitingCountMax,
      memoryBytesMax: 1024 * 1024 * 1024,
      prepare: ({ visit, url, userAgent, fetch }): PageVisit => {
        this.#current = { visit, fetch };
        return { visit, url, userAgent, msMax };
      },
      take: (message) => {
        if (!isPageRequest(message)) return false;
        void this.#answer(message);
        return true;
      },
    });
  }

  /**
   * Visits a page until it has requested nothing for a second, or its time is over. Resolves with the reason for which the page
   * was not rendered or not to its end; null otherwise. Never rejects.
   */
  async visit(requested: RequestedVisit): Promise<string | null> {
    const problem = this.#browser.problem();
    if (problem !== null) return `Not rendered: ${problem}`;
    const visit = ++this.#lastVisit;
    const stop = (): void => {
      if (this.#current?.visit === visit) this.#post({ kind: "end-visit", visit });
    };
    requested.signal.addEventListener("abort", stop);
    try {
      await this.#browser.call({ ...requested, visit }, { key: requested.key, signal: requested.signal });
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
    await this.#browser.close();
  }

  async #answer({ number, request }: PageRequested): Promise<void> {
    const current = this.#current;
    const response = current?.visit === request.visit ? await current.fetch(request) : null;
    this.#post({ kind: "page-response", number, response });
  }

  #post(message: VisitMessage): void {
    this.#browser.post(message);
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
