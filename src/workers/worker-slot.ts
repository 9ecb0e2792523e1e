import type { BackgroundTask } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import type { HandedOver } from "./hand-over.ts";
import type { WorkerCall, WorkerMessage } from "./worker-protocol.ts";
import type { openWorkerThread, WorkerThread, WorkerThreadOptions } from "./worker-thread.ts";

/** Error of a call that took too long, threw, or ended its worker. */
export class WorkerCallFailed extends Error {
  override readonly name: string = "WorkerCallFailed";
}

/** Options of a {@link WorkerSlot}. */
export interface WorkerSlotOptions {
  readonly thread: WorkerThreadOptions;
  readonly openThread: typeof openWorkerThread;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly task: BackgroundTask;
  /** Time-out of one call in milliseconds. */
  readonly callMsMax: number;
  /** Start-up time-out of a worker in milliseconds. */
  readonly startMsMax: number;
  /** Idle time in milliseconds after which the worker is terminated to free its memory. */
  readonly idleMsMax: number;
}

/** First and longest backoff before a restart. */
const backoff = { firstMs: 1000, maxMs: 30_000 } as const;

interface Executing {
  readonly number: number;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly stopTimer: () => void;
}

interface Open {
  readonly thread: WorkerThread;
  /** Settles when the worker has loaded its module. */
  readonly ready: Promise<void>;
}

/**
 * Worker that executes one call at a time. It starts with the first call and is restarted when it exits: at once after a
 * success, then with a backoff of 1 s, 2 s, … up to 30 s.
 */
export class WorkerSlot {
  readonly #options: WorkerSlotOptions;
  #open: Open | null = null;
  #executing: Executing | null = null;
  #lastNumber = 0;
  #isClosed = false;
  /** Rejects calls that wait for a start when the slot is closed. */
  readonly #closing = Promise.withResolvers<never>();
  #failuresInARow = 0;
  /** Monotonic milliseconds before which no thread is started. */
  #startsAt = -Infinity;
  /** Whether the last start failed. */
  #cannotStart = false;
  #stopIdleTimer: () => void = () => undefined;

  constructor(options: WorkerSlotOptions) {
    this.#options = options;
    // Prevents an unhandled rejection when no call waits.
    this.#closing.promise.catch(() => undefined);
  }

  /**
   * Executes one call; call it again only after it has settled. Rejects with {@link WorkerCallFailed} when this call
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

  /** Terminates the worker; the running call rejects with `unavailable`. Resolves when the worker has exited. */
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
          this.#receive(known);
          return;
        }
        stopTimer();
        isReady = true;
        resolve();
      },
      exited: (error) => {
        stopTimer();
        if (!isReady) reject(error);
        else if (this.#open?.thread === thread) this.#exited(error);
      },
    });
    return { thread, ready: promise };
  }

  async #execute(thread: WorkerThread, { message, moved }: HandedOver): Promise<unknown> {
    const { clock, callMsMax } = this.#options;
    const number = ++this.#lastNumber;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const stopTimer = clock.after(callMsMax, () => {
      this.#exited(new Error(`the call took longer than ${String(callMsMax)} ms`));
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

  #receive(message: Exclude<WorkerMessage<unknown>, { kind: "ready" }>): void {
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

  /** Rejects the running call, if any, after the worker has exited or hung. */
  #exited(error: unknown): void {
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
  return new Problem("unavailable", { text: "The service is shutting down" });
}

function unavailable(waitMs: number, cause?: unknown): Problem {
  return new Problem("unavailable", { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)), cause });
}
