import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import type { AccessibilityAudit } from "../core/lint.ts";
import { workerUrl } from "../core/worker-url.ts";
import type { MimeLimits } from "../mime/source.ts";
import { openBrowserFolder, openSessionFolder, removeFolder } from "./browser-folder.ts";
import type { EmailClient } from "./email-client.ts";
import { findBrowser, type BrowserChoice, type FoundBrowser } from "./find-browser.ts";
import { killGroup } from "./process-group.ts";
import type { RenderAnswer, RenderQuestion, RenderResult, RenderSetting } from "./render-protocol.ts";

/** How long what may take; in milliseconds. */
export interface RenderTimes {
  /** Starting a browser, the first time on a machine with unpacking it. */
  readonly startMsMax: number;
  /** One mail. */
  readonly renderMsMax: number;
  /** Idleness after which the browser is ended. */
  readonly idleMsMax: number;
}

/** What a renderer is made from. */
export interface RendererOptions {
  readonly choice: BrowserChoice;
  readonly limits: MimeLimits;
  readonly clock: Pick<Clock, "after">;
  /** Hears why a mail was not rendered, in words for the operator. */
  readonly onFault: (detail: string) => void;
  /** Called whenever a browser is started. */
  readonly onStart?: () => void;
  readonly times?: RenderTimes;
  readonly memoryBytesMax?: number;
}

const usualTimes: RenderTimes = { startMsMax: 90_000, renderMsMax: 20_000, idleMsMax: 60_000 };
const usualMemoryBytesMax = 1536 * 1024 * 1024;
/** Questions that wait at the same time. */
const waitingCountMax = 500;
const closeMsMax = 5000;
const tooMuch = "The mail could not be rendered: it asks for too much time or memory";
/** The browser gets nothing of the environment but what programs need to run. */
const passedOn = /^(?:PATH|HOME|LANG|LC_\w+|TZ|FONTCONFIG_\w+|LD_LIBRARY_PATH|SystemRoot|SystemDrive|windir)$/;

interface Job {
  readonly source: () => Promise<Uint8Array>;
  readonly client: EmailClient | null;
  readonly resolve: (result: RenderResult) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly sessionFolder: string;
  processId: number | null;
}

/**
 * Shows mails in a browser: one browser, on a thread of its own, one mail after the other, each in a context of its own. It
 * starts with the first mail and ends when there are none; whatever takes too long or too much is killed, and the next
 * mail gets a new one.
 */
export class Renderer {
  readonly #options: Required<RendererOptions>;
  readonly #waiting: Job[] = [];
  #found: FoundBrowser | null = null;
  #thread: Thread | null = null;
  #isBusy = false;
  #isClosed = false;
  #stopAlarm: () => void = () => undefined;
  /** Gives up the question under way. */
  #giveUp: ((problem: Problem) => void) | null = null;

  constructor(options: RendererOptions) {
    this.#options = { times: usualTimes, onStart: () => undefined, memoryBytesMax: usualMemoryBytesMax, ...options };
  }

  /** What is missing for rendering, and how to get it; null where nothing is. What was missing is looked for anew. */
  async problem(): Promise<string | null> {
    const found = this.#look();
    return found.kind === "none" ? found.problem : null;
  }

  /** A PNG of the mail as the program would show it. Rejects with `unavailable`, or as `source` does. */
  async render(source: Job["source"], client: EmailClient): Promise<Uint8Array> {
    return (await this.#ask(source, client)).png ?? new Uint8Array();
  }

  /** What axe-core says of the mail. Rejects as `render` does. */
  async audit(source: Job["source"]): Promise<AccessibilityAudit> {
    return (await this.#ask(source, null)).audit ?? { engine: "axe-core", findings: [] };
  }

  /** Ends the browser; what waits is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closingProblem());
    this.#giveUp?.(closingProblem());
    await this.#end();
  }

  #look(): FoundBrowser {
    if (this.#found === null || this.#found.kind === "none") this.#found = findBrowser(this.#options.choice);
    return this.#found;
  }

  #ask(source: Job["source"], client: EmailClient | null): Promise<RenderResult> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || this.#waiting.length >= waitingCountMax) {
        reject(new Problem("unavailable", { text: "Too many mails wait to be rendered", retryAfterSeconds: 10 }));
        return;
      }
      this.#waiting.push({ source, client, resolve, reject });
      void this.#work();
    });
  }

  /** Takes the questions one after the other. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#stopAlarm();
    for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
      try {
        const raw = await job.source();
        if (this.#isClosed) throw closingProblem();
        job.resolve(await this.#answer({ raw, client: job.client }));
      } catch (error) {
        job.reject(error);
      }
    }
    this.#isBusy = false;
    this.#stopAlarm = this.#options.clock.after(this.#options.times.idleMsMax, () => void this.#end());
  }

  #answer(question: RenderQuestion): Promise<RenderResult> {
    const { times, clock, onFault } = this.#options;
    return new Promise((resolve, reject) => {
      const thread = (this.#thread ??= this.#start());
      let stopAlarm = (): void => undefined;
      const settle = (): void => {
        stopAlarm();
        this.#giveUp = null;
        thread.worker.off("message", hear).off("error", fail).off("exit", fail);
      };
      this.#giveUp = (problem) => {
        settle();
        this.#kill(thread);
        reject(problem);
      };
      const fail = (cause: unknown): void => {
        onFault(cause instanceof Error ? cause.message : "the thread that renders mails has ended");
        this.#giveUp?.(new Problem("unavailable", { text: tooMuch, cause }));
      };
      const setAlarm = (delayMs: number): void => {
        stopAlarm();
        stopAlarm = clock.after(delayMs, () => {
          fail(new Error(`nothing came within ${String(delayMs)} ms`));
        });
      };
      const hear = (answer: RenderAnswer): void => {
        if (answer.kind === "opened") thread.processId = answer.processId;
        else if (answer.kind === "begun") setAlarm(times.renderMsMax);
        else {
          settle();
          if (answer.kind === "done") resolve(answer.result);
          else {
            onFault(answer.detail);
            reject(new Problem("unavailable", { text: answer.text }));
          }
        }
      };
      thread.worker.on("message", hear).on("error", fail).on("exit", fail);
      setAlarm(times.startMsMax);
      thread.worker.postMessage(question);
    });
  }

  #start(): Thread {
    this.#options.onStart();
    const browser = this.#look();
    if (browser.kind === "none") throw new Problem("unavailable", { text: browser.problem });
    const folder = openBrowserFolder();
    const sessionFolder = openSessionFolder(folder);
    const passed = Object.entries(process.env).filter(([name]) => passedOn.test(name));
    const env = { ...Object.fromEntries(passed), TMPDIR: sessionFolder, TEMP: sessionFolder, TMP: sessionFolder };
    const { limits, memoryBytesMax } = this.#options;
    const worker = new Worker(workerUrl(import.meta.url, "render-worker"), {
      workerData: { browser, folder, limits, memoryBytesMax } satisfies RenderSetting,
      env,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    worker.unref();
    // What befalls it between two questions is met by the next one.
    worker.on("error", () => undefined);
    worker.once("exit", () => {
      removeFolder(sessionFolder);
      if (this.#thread?.worker === worker) this.#thread = null;
    });
    return { worker, sessionFolder, processId: null };
  }

  #kill({ worker, processId }: Thread): void {
    if (this.#thread?.worker === worker) this.#thread = null;
    if (processId !== null) killGroup(processId);
    void worker.terminate();
  }

  /** Asks the browser to end, and kills it if it does not. */
  async #end(): Promise<void> {
    this.#stopAlarm();
    const thread = this.#thread;
    if (thread === null) return;
    this.#thread = null;
    thread.worker.ref();
    const ended = once(thread.worker, "exit");
    const stopAlarm = this.#options.clock.after(closeMsMax, () => {
      this.#kill(thread);
    });
    thread.worker.postMessage("close");
    await ended;
    stopAlarm();
  }
}

function closingProblem(): Problem {
  return new Problem("unavailable", { text: "The service is closing" });
}
