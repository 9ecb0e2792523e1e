import type { BackgroundTask } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import type { HandedOver } from "./hand-over.ts";
import type { WorkerCall, WorkerMessage } from "./worker-protocol.ts";
import type { openWorkerThread, WorkerThread, WorkerThreadOptions } from "./worker-thread.ts";

/** Rejection of the one call that a worker could not answer: it took too long, threw, or ended the worker. */
export class WorkerCallFailed extends Error {
  override readonly name: string = "WorkerCallFailed";
}

/** How a slot starts its worker and how long it waits for it. */
export interface WorkerSlotOptions {
  readonly thread: WorkerThreadOptions;
  readonly openThread: typeof openWorkerThread;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly task: BackgroundTask;
  /** Longest execution of one call, in milliseconds. */
  readonly callMsMax: number;
  /** Longest start of a worker, in milliseconds. */
  readonly startMsMax: number;
  /** Idleness in milliseconds after which the worker is ended, so that its memory is given back. */
  readonly idleMsMax: number;
}

/** First and longest pause before a worker is started again. */
const backoff = { firstMs: 1000, maxMs: 30_000 } as const;

interface Executing {
  readonly number: number;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly stopTimer: () => void;
}

interface Open {
  readonly thread: WorkerThread;
  /** Settles when the thread has loaded its code. */
  readonly ready: Promise<void>;
}

/**
 * One worker thread that executes one call at a time. The thread starts with the first call and is replaced when it dies.
 * The first restart after a success is immediate; further ones in a row wait 1 s, 2 s, … up to 30 s.
 */
export class WorkerSlot {
  readonly #options: WorkerSlotOptions;
  #open: Open | null = null;
  #executing: Executing | null = null;
  #lastNumber = 0;
  #isClosed = false;
  /** Rejects what waits for a start when the slot is closed. */
  readonly #closing = Promise.withResolvers<never>();
  #failuresInARow = 0;
  /** Monotonic milliseconds before which no thread is started. */
  #startsAt = -Infinity;
  /** Whether the last failure was a thread that did not start. */
  #cannotStart = false;
  #stopIdleTimer: () => void = () => undefined;

  constructor(options: WorkerSlotOptions) {
    this.#options = options;
    // Without a waiting call nothing listens to this rejection.
    this.#closing.promise.catch(() => undefined);
  }

  /**
   * Executes one call; to be called again only after it has settled. Rejects with {@link WorkerCallFailed} when this call
   * failed, with `unavailable` when no worker can be started or the slot is closed.
   */
  async call(request: HandedOver): Promise<unknown> {
    this.#stopIdleTimer();
    const thread = await this.#start();
    try {
      return await this.#execute(thread, request);
    } finally {
      this.#startIdleTimer();
    }
  }

  /** Ends the thread; the call that it executes rejects with `unavailable`. Resolves when the thread has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopIdleTimer();
    this.#closing.reject(closed());
    this.#settle()?.reject(closed());
    await this.#end();
  }

  async #start(): Promise<WorkerThread> {
    const waitMs = this.#startsAt - this.#options.clock.monotonicMs();
    if (this.#open === null && waitMs > 0) {
      if (this.#cannotStart) throw unavailable(waitMs);
      await Promise.race([this.#pause(waitMs), this.#closing.promise]);
    }
    if (this.#isClosed) throw closed();
    const opened = (this.#open ??= this.#openThread());
    try {
      await Promise.race([opened.ready, this.#closing.promise]);
      this.#cannotStart = false;
      return opened.thread;
    } catch (error) {
      if (this.#isClosed) throw closed();
      this.#cannotStart = true;
      this.#failed(error);
      throw unavailable(this.#startsAt - this.#options.clock.monotonicMs(), error);
    }
  }

  async #pause(waitMs: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#options.clock.after(waitMs, resolve));
  }

  #openThread(): Open {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { thread: options, openThread, clock, startMsMax } = this.#options;
    let isReady = false;
    const stopTimer = clock.after(startMsMax, () => {
      reject(new Error(`the worker thread did not start within ${String(startMsMax)} ms`));
    });
    const thread = openThread(options, {
      message: (message) => {
        const known = message as WorkerMessage<unknown>;
        if (known.kind !== "ready") {
          this.#hear(known);
          return;
        }
        stopTimer();
        isReady = true;
        resolve();
      },
      exited: (error) => {
        stopTimer();
        if (!isReady) reject(error);
        else if (this.#open?.thread === thread) this.#died(error);
      },
    });
    return { thread, ready: promise };
  }

  async #execute(thread: WorkerThread, { message, moved }: HandedOver): Promise<unknown> {
    const { clock, callMsMax } = this.#options;
    const number = ++this.#lastNumber;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const stopTimer = clock.after(callMsMax, () => {
      this.#died(new Error(`the call took longer than ${String(callMsMax)} ms`));
    });
    this.#executing = { number, resolve, reject, stopTimer };
    thread.setBusy(true);
    try {
      thread.post({ number, request: message } satisfies WorkerCall<unknown>, moved);
    } catch (error) {
      // The request cannot be cloned.
      this.#settle();
      throw error;
    }
    return promise;
  }

  #hear(message: Exclude<WorkerMessage<unknown>, { kind: "ready" }>): void {
    if (this.#executing?.number !== message.number) return;
    const executing = this.#settle();
    this.#open?.thread.setBusy(false);
    this.#failuresInARow = 0;
    if (message.kind === "answered") {
      this.#options.task.succeeded();
      executing?.resolve(message.answer);
      return;
    }
    const error = new WorkerCallFailed(message.reason);
    this.#options.task.failed(error);
    executing?.reject(error);
  }

  /** The thread is lost, and with it the call that it executes, if any. */
  #died(error: unknown): void {
    const executing = this.#settle();
    if (executing === null && this.#isClosed) return;
    this.#failed(error);
    const reason = error instanceof Error ? error.message : String(error);
    executing?.reject(new WorkerCallFailed(reason, { cause: error }));
  }

  #failed(error: unknown): void {
    this.#failuresInARow += 1;
    const times = this.#failuresInARow - (this.#cannotStart ? 1 : 2);
    const pauseMs = times < 0 ? 0 : Math.min(backoff.firstMs * 2 ** times, backoff.maxMs);
    this.#startsAt = this.#options.clock.monotonicMs() + pauseMs;
    this.#options.task.failed(error, pauseMs);
    void this.#end();
  }

  #settle(): Executing | null {
    const executing = this.#executing;
    this.#executing = null;
    executing?.stopTimer();
    return executing;
  }

  async #end(): Promise<void> {
    const thread = this.#open?.thread;
    this.#open = null;
    await thread?.terminate();
  }

  #startIdleTimer(): void {
    if (this.#isClosed) return;
    this.#stopIdleTimer = this.#options.clock.after(this.#options.idleMsMax, () => void this.#end());
  }
}

function closed(): Problem {
  return new Problem("unavailable", { text: "The service is closing" });
}

function unavailable(waitMs: number, cause?: unknown): Problem {
  return new Problem("unavailable", { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)), cause });
}
