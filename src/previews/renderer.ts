import type { BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import type { AccessibilityAudit } from "../core/lint.ts";
import { workerUrl } from "../core/worker-url.ts";
import type { MimeLimits } from "../mime/source.ts";
import { WorkerRpc, type WorkerCaller } from "../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../workers/worker-slot.ts";
import type { RunningWorker, WorkerEvents } from "../workers/worker-contract.ts";
import { browserWorkerMemory, openBrowserProcess } from "./browser-process.ts";
import type { EmailClient } from "./email-client.ts";
import { findBrowser, type BrowserChoice, type FoundBrowser } from "./find-browser.ts";
import type { RenderRequest, RenderResult, RenderWorkerSettings } from "./render-request.ts";

/** Dependencies and limits of a {@link Renderer}. */
export interface RendererOptions {
  readonly choice: BrowserChoice;
  readonly limits: MimeLimits;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** Registry that failures, backlog and ages are reported to. */
  readonly tasks: BackgroundTasks;
  /** Called whenever a browser process is started. */
  readonly onStart?: () => void;
  /** Longest rendering of one mail, in milliseconds. */
  readonly renderMsMax?: number;
  /** Memory of the browser's processes at which the browser is killed. */
  readonly memoryBytesMax?: number;
}

/** Longest start of a browser, in milliseconds; the first start on a machine includes unpacking it. */
const startMsMax = 90_000;
const usualRenderMsMax = 20_000;
const usualMemoryBytesMax = 1536 * 1024 * 1024;
/** Largest number of queued mails per key (two full requests for previews), and in total. */
const waitingPerKeyCountMax = 100;
const waitingCountMax = 500;

type MailSource = () => Promise<Uint8Array>;

interface QueuedRequest {
  readonly source: MailSource;
  readonly client: EmailClient | null;
}

/**
 * Renders mails in a browser: one browser, driven by a process of its own, one mail at a time, each in a browser context of
 * its own. Keys are served round-robin. The browser starts with the first mail and exits when idle. The browser is
 * killed when a mail takes too much time or memory; the next mail gets a new browser.
 */
export class Renderer {
  readonly #options: RendererOptions;
  readonly #rpc: WorkerRpc<QueuedRequest, RenderResult>;
  /** One promise for each process that has not exited. */
  readonly #exits = new Set<Promise<void>>();
  #found: FoundBrowser | null = null;

  constructor(options: RendererOptions) {
    this.#options = options;
    const { tasks, clock, renderMsMax = usualRenderMsMax } = options;
    this.#rpc = new WorkerRpc<QueuedRequest, RenderResult>({
      task: "previews",
      degrades: "previews and accessibility audits fail",
      file: workerUrl(import.meta.url, "render-worker"),
      workerData: null,
      memory: browserWorkerMemory,
      startMsMax,
      callMsMax: renderMsMax,
      waitingPerKeyCountMax,
      waitingCountMax,
      tasks,
      clock,
      openWorker: (_options, events) => this.#openProcess(events),
      prepare: async ({ source, client }): Promise<RenderRequest> => ({ raw: await source(), client }),
    });
  }

  /** Returns a sentence about a missing dependency and how to install it; null if none is missing. Repeats the search while one is missing. */
  async problem(): Promise<string | null> {
    const found = this.#findBrowser();
    return found.kind === "none" ? found.problem : null;
  }

  /**
   * Returns a PNG of the mail as the email client would show it. Rejects with `unavailable` when the mail fails or no browser
   * starts, `too_many_requests` when the key has too many waiting, the signal's reason when it aborts before the call's turn,
   * or as `source` does.
   */
  async render(source: MailSource, client: EmailClient, caller: WorkerCaller): Promise<Uint8Array> {
    return (await this.#call(source, client, caller)).png ?? new Uint8Array();
  }

  /** Returns the findings of axe-core. Rejects as `render` does. */
  async audit(source: MailSource, caller: WorkerCaller): Promise<AccessibilityAudit> {
    return (await this.#call(source, null, caller)).audit ?? { engine: "axe-core", findings: [], rules: [] };
  }

  /** Stops the browser; running and queued calls reject with `unavailable`. Resolves when all processes have exited. */
  async close(): Promise<void> {
    await this.#rpc.close();
    await Promise.all(this.#exits);
  }

  #findBrowser(): FoundBrowser {
    if (this.#found === null || this.#found.kind === "none") this.#found = findBrowser(this.#options.choice);
    return this.#found;
  }

  async #call(source: MailSource, client: EmailClient | null, caller: WorkerCaller): Promise<RenderResult> {
    const browser = this.#findBrowser();
    if (browser.kind === "none") throw new Problem("unavailable", { text: browser.problem });
    const failed: { reason?: unknown } = {};
    const remembered = (): Promise<Uint8Array> =>
      source().catch((reason: unknown) => {
        failed.reason = reason;
        throw reason;
      });
    try {
      return await this.#rpc.call({ source: remembered, client }, caller);
    } catch (cause) {
      if (cause === failed.reason) throw cause;
      if (cause instanceof WorkerCallFailed) {
        const text = "The mail could not be rendered: it needs too much time or memory";
        throw new Problem("unavailable", { text, cause });
      }
      if (cause instanceof Problem && cause.code === "unavailable" && cause.cause !== undefined) {
        const { retryAfterSeconds } = cause;
        throw new Problem("unavailable", {
          text: "Chromium could not be started; the service's log says why",
          ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
          cause,
        });
      }
      throw cause;
    }
  }

  #openProcess(events: WorkerEvents): RunningWorker {
    const browser = this.#findBrowser();
    if (browser.kind === "none") throw new Problem("unavailable", { text: browser.problem });
    const { limits, memoryBytesMax = usualMemoryBytesMax, clock, onStart } = this.#options;
    onStart?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exits.add(promise);
    const exited = (error: unknown): void => {
      this.#exits.delete(promise);
      resolve();
      events.exited(error);
    };
    const settingsFor = (folder: string): RenderWorkerSettings => ({ browser, folder, limits, memoryBytesMax });
    return openBrowserProcess({ worker: "render-worker", settingsFor, clock }, { message: events.message, exited });
  }
}
