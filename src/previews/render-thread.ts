import { Worker } from "node:worker_threads";
import type { Clock } from "../core/clock.ts";
import { workerUrl } from "../core/worker-url.ts";
import type { MimeLimits } from "../mime/source.ts";
import { openBrowserFolder, openSessionFolder, removeFolder } from "./browser-folder.ts";
import type { FoundBrowser } from "./find-browser.ts";
import { killGroup, killSession } from "./process-group.ts";
import type { RenderAnswer, RenderQuestion, RenderResult, RenderSetting } from "./render-protocol.ts";

/** How a {@link RenderThread} is started. */
export interface RenderThreadOptions {
  readonly browser: Exclude<FoundBrowser, { kind: "none" }>;
  readonly limits: MimeLimits;
  readonly memoryBytesMax: number;
  readonly clock: Pick<Clock, "after">;
}

/** Time limits of one question, in milliseconds. */
export interface QuestionTimes {
  readonly startMsMax: number;
  readonly renderMsMax: number;
}

/** Rejection of a question that the thread could not answer. `message` is for the caller, `cause` for the operator. */
export class RenderFailed extends Error {
  override readonly name: string = "RenderFailed";
}

const tooMuch = "The mail could not be rendered: it asks for too much time or memory";
/** Time that a browser has to end by itself. */
const closeMsMax = 5000;
/** Time that the thread has to reap a killed browser; it may be composing a page meanwhile. */
const reapMsMax = 30_000;
const heapMegabytesMax = 512;
/** Environment variables that the browser inherits: those that programs need to run. */
const passedOn = /^(?:PATH|HOME|LANG|LC_\w+|TZ|FONTCONFIG_\w+|LD_LIBRARY_PATH|SystemRoot|SystemDrive|windir)$/;

/** Worker thread with a browser of its own; answers one question at a time. */
export class RenderThread {
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #clock: Pick<Clock, "after">;
  readonly #sessionFolder: string;
  #processId: number | null = null;
  #hasEnded = false;
  #isKilled = false;
  #giveUp: ((cause: unknown) => void) | null = null;

  constructor({ browser, limits, memoryBytesMax, clock }: RenderThreadOptions) {
    const folder = openBrowserFolder();
    const sessionFolder = openSessionFolder(folder);
    const passed = Object.entries(process.env).filter(([name]) => passedOn.test(name));
    const env = { ...Object.fromEntries(passed), TMPDIR: sessionFolder, TEMP: sessionFolder, TMP: sessionFolder };
    this.#clock = clock;
    this.#sessionFolder = sessionFolder;
    this.#worker = new Worker(workerUrl(import.meta.url, "render-worker"), {
      workerData: { browser, folder, sessionFolder, limits, memoryBytesMax } satisfies RenderSetting,
      env,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    });
    this.#worker.unref();
    let cause: unknown = new Error("the thread that renders mails has ended");
    this.#worker.on("error", (error) => {
      cause = error;
    });
    this.ended = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#hasEnded = true;
        this.#killBrowser();
        removeFolder(sessionFolder);
        this.#giveUp?.(cause);
        resolve();
      });
    });
  }

  /** Whether the thread accepts questions. */
  get isUsable(): boolean {
    return !this.#hasEnded && !this.#isKilled;
  }

  /** Answers a question; rejects with {@link RenderFailed}. A question that exceeds its time kills the browser. */
  ask(question: RenderQuestion, { startMsMax, renderMsMax }: QuestionTimes): Promise<RenderResult> {
    return new Promise((resolve, reject) => {
      let stopTimer = (): void => undefined;
      const settle = (): void => {
        stopTimer();
        this.#giveUp = null;
        this.#worker.off("message", hear);
      };
      this.#giveUp = (cause) => {
        settle();
        this.kill();
        reject(new RenderFailed(tooMuch, { cause }));
      };
      const startTimer = (delayMs: number): void => {
        stopTimer();
        stopTimer = this.#clock.after(delayMs, () => {
          this.#giveUp?.(new Error(`no answer within ${String(delayMs)} ms`));
        });
      };
      const hear = (answer: RenderAnswer): void => {
        if (answer.kind === "opened") this.#processId = answer.processId;
        else if (answer.kind === "begun") startTimer(renderMsMax);
        else {
          settle();
          if (answer.kind === "done") resolve(answer.result);
          else reject(new RenderFailed(answer.text, { cause: new Error(answer.detail) }));
        }
      };
      this.#worker.on("message", hear);
      startTimer(startMsMax);
      this.#worker.postMessage(question);
    });
  }

  /**
   * Kills the browser and rejects the question under way. The thread then ends by itself, because only its event loop can
   * reap the killed process; one that does not end in time is terminated.
   */
  kill(): void {
    if (!this.isUsable) return;
    this.#isKilled = true;
    this.#worker.postMessage("kill");
    this.#killBrowser();
    this.#giveUp?.(new Error("the browser was killed"));
    const stopTimer = this.#clock.after(reapMsMax, () => void this.#worker.terminate());
    this.#worker.once("exit", stopTimer);
  }

  /** Ends the browser and the thread; kills the browser if it does not end in time. Resolves when both have ended. */
  async close(): Promise<void> {
    this.#worker.ref();
    if (this.isUsable) {
      this.#worker.postMessage("close");
      const stopTimer = this.#clock.after(closeMsMax, () => {
        this.kill();
      });
      this.#worker.once("exit", stopTimer);
    }
    await this.ended;
  }

  #killBrowser(): void {
    killSession(this.#sessionFolder);
    // Without procfs nothing else is known of the browser. Once the thread has ended the id may be another process's.
    if (this.#processId !== null && !this.#hasEnded) killGroup(this.#processId);
  }
}
