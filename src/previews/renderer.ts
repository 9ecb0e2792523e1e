import type { BackgroundTask, BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import { FairQueue } from "../core/fair-queue.ts";
import type { AccessibilityAudit } from "../core/lint.ts";
import type { MimeLimits } from "../mime/source.ts";
import type { EmailClient } from "./email-client.ts";
import { findBrowser, type BrowserChoice, type FoundBrowser } from "./find-browser.ts";
import type { RenderQuestion, RenderResult } from "./render-protocol.ts";
import { RenderFailed, RenderThread, type QuestionTimes } from "./render-thread.ts";

/** Time limits, in milliseconds. */
export interface RenderTimes extends QuestionTimes {
  /** Starting a browser, the first time on a machine with unpacking it. */
  readonly startMsMax: number;
  /** One mail. */
  readonly renderMsMax: number;
  /** Idleness after which the browser is ended. */
  readonly idleMsMax: number;
}

/** Dependencies and limits of a {@link Renderer}. */
export interface RendererOptions {
  readonly choice: BrowserChoice;
  readonly limits: MimeLimits;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** Registry that failures, backlog and ages are reported to. */
  readonly tasks: BackgroundTasks;
  /** Called whenever a browser is started. */
  readonly onStart?: () => void;
  readonly times?: RenderTimes;
  readonly memoryBytesMax?: number;
}

/** Caller of a {@link Renderer}. */
export interface RenderCaller {
  /** Calls of different keys are served round-robin. */
  readonly key: string;
  /** Takes a call out of the queue; one that executes already goes on. */
  readonly signal?: AbortSignal;
}

const usualTimes: RenderTimes = { startMsMax: 90_000, renderMsMax: 20_000, idleMsMax: 60_000 };
const usualMemoryBytesMax = 1536 * 1024 * 1024;
/** Mails that wait: of one key (two full requests for previews), and of all. */
const waitingPerKeyCountMax = 100;
const waitingCountMax = 500;
/** Longest reason that is reported, in UTF-16 units. */
const reasonLengthMax = 2000;

type MailSource = () => Promise<Uint8Array>;

/**
 * Renders mails in a browser: one browser, on a thread of its own, one mail at a time, each in a browser context of its own.
 * Keys are served round-robin. The browser starts with the first mail and ends when idle. A mail that takes too much time or
 * memory gets the browser killed; the next mail gets a new one.
 */
export class Renderer {
  readonly #options: Required<RendererOptions>;
  readonly #queue = new FairQueue({ runningCountMax: 1, waitingPerKeyCountMax, waitingCountMax });
  readonly #task: BackgroundTask;
  /** Monotonic instants at which the calls that wait were made, oldest first. */
  readonly #waitingSince = new Set<{ readonly at: number }>();
  /** Threads that have not ended; only the last of them takes questions. */
  readonly #threads = new Set<RenderThread>();
  #found: FoundBrowser | null = null;
  #thread: RenderThread | null = null;
  #isClosed = false;
  #stopIdleTimer: () => void = () => undefined;

  constructor(options: RendererOptions) {
    this.#options = { times: usualTimes, onStart: () => undefined, memoryBytesMax: usualMemoryBytesMax, ...options };
    this.#task = options.tasks.register("previews", {
      backlog: () => this.#queue.waitingCount,
      oldestWaitingMs: () => this.#oldestWaitingMs(),
      degrades: "previews and accessibility audits fail",
    });
  }

  /** Returns what is missing for rendering and how to get it; null if nothing. Looks again while something is missing. */
  async problem(): Promise<string | null> {
    const found = this.#look();
    return found.kind === "none" ? found.problem : null;
  }

  /**
   * Returns a PNG of the mail as the program would show it. Rejects with `unavailable` when the mail fails, `too_many_requests`
   * when the key has too many waiting, the signal's reason when it aborts before the call's turn, or as `source` does.
   */
  async render(source: MailSource, client: EmailClient, caller: RenderCaller): Promise<Uint8Array> {
    return (await this.#ask(source, client, caller)).png ?? new Uint8Array();
  }

  /** Returns the findings of axe-core. Rejects as `render` does. */
  async audit(source: MailSource, caller: RenderCaller): Promise<AccessibilityAudit> {
    return (await this.#ask(source, null, caller)).audit ?? { engine: "axe-core", findings: [] };
  }

  /** Ends the browser; calls that execute or wait reject with `unavailable`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopIdleTimer();
    if (this.#queue.runningCount > 0) this.#thread?.kill();
    await Promise.all([...this.#threads].map(async (thread) => thread.close()));
    this.#task.end();
  }

  #look(): FoundBrowser {
    if (this.#found === null || this.#found.kind === "none") this.#found = findBrowser(this.#options.choice);
    return this.#found;
  }

  async #ask(source: MailSource, client: EmailClient | null, { key, signal }: RenderCaller): Promise<RenderResult> {
    if (this.#isClosed) throw closingProblem();
    const since = { at: this.#options.clock.monotonicMs() };
    this.#waitingSince.add(since);
    const execute = async (): Promise<RenderResult> => {
      this.#waitingSince.delete(since);
      this.#stopIdleTimer();
      try {
        const raw = await source();
        return await this.#answer({ raw, client });
      } finally {
        this.#startIdleTimer();
      }
    };
    try {
      return await this.#queue.run(key, execute, signal);
    } finally {
      this.#waitingSince.delete(since);
    }
  }

  async #answer(question: RenderQuestion): Promise<RenderResult> {
    if (this.#isClosed) throw closingProblem();
    const thread = this.#usableThread();
    try {
      const result = await thread.ask(question, this.#options.times);
      this.#task.succeeded();
      return result;
    } catch (error) {
      if (this.#isClosed) throw closingProblem();
      const reason = error instanceof RenderFailed && error.cause instanceof Error ? error.cause : error;
      this.#task.failed(new Error(String(reason).slice(0, reasonLengthMax)));
      const text = error instanceof RenderFailed ? error.message : "The mail could not be rendered";
      throw new Problem("unavailable", { text, cause: error });
    }
  }

  #usableThread(): RenderThread {
    if (this.#thread?.isUsable === true) return this.#thread;
    const browser = this.#look();
    if (browser.kind === "none") throw new Problem("unavailable", { text: browser.problem });
    const { limits, memoryBytesMax, clock, onStart } = this.#options;
    onStart();
    const thread = new RenderThread({ browser, limits, memoryBytesMax, clock });
    this.#threads.add(thread);
    void thread.ended.then(() => this.#threads.delete(thread));
    this.#thread = thread;
    return thread;
  }

  #startIdleTimer(): void {
    if (this.#isClosed || this.#queue.waitingCount > 0) return;
    this.#stopIdleTimer = this.#options.clock.after(this.#options.times.idleMsMax, () => {
      const idle = this.#thread;
      this.#thread = null;
      void idle?.close();
    });
  }

  #oldestWaitingMs(): number {
    const [oldest] = this.#waitingSince;
    return oldest === undefined ? 0 : this.#options.clock.monotonicMs() - oldest.at;
  }
}

function closingProblem(): Problem {
  return new Problem("unavailable", { text: "The service is closing" });
}
