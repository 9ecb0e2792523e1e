import type { BackgroundTask } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import { WorkerDeath } from "../core/worker.ts";
import type { WorkerCall, WorkerMessage } from "./answer-calls.ts";
import type { OpenWorker, RunningWorker, WorkerEvents, WorkerOptions } from "./worker-process.ts";

/** Error of a call that took too long, threw, or ended its worker. */
export class WorkerCallFailed extends Error {
  override readonly name: string = "WorkerCallFailed";
}

/** Error of a call that took too long or ended its worker. */
export class WorkerEnded extends WorkerCallFailed {
  override readonly name: string = "WorkerEnded";
}

/** Options of a {@link WorkerSlot}. */
export interface WorkerSlotOptions {
  readonly worker: Omit<WorkerOptions, "clock">;
  readonly openWorker: OpenWorker;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly task: BackgroundTask;
  /** Time-out of one call in milliseconds. */
  readonly callMsMax: number;
  /** Start-up time-out of a worker in milliseconds. */
  readonly startMsMax: number;
  /** Idle time in milliseconds after which the worker is terminated to free its memory. */
  readonly idleMsMax: number;
  /** Milliseconds of execution after which a worker is replaced, before it reaches its limit of CPU time. */
  readonly busyMsMax: number;
  /** Whether a call waits for a worker: it takes over one that is spent, whose memory it would need too. */
  readonly isAwaited: () => boolean;
}

/** First and longest backoff before a restart. */
const backoff = { firstMs: 1000, maxMs: 30_000 } as const;

/** Returns the pause in milliseconds after so many failures in a row; none after the first. */
export function pauseAfter(failureCount: number): number {
  return failureCount < 2 ? 0 : Math.min(backoff.firstMs * 2 ** (failureCount - 2), backoff.maxMs);
}

interface Executing {
  readonly number: number;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly stopTimer: () => void;
}

interface Open {
  readonly worker: RunningWorker;
  /** Settles when the worker has loaded its module. */
  readonly ready: Promise<void>;
}

/**
 * Worker that executes one call at a time. It starts with the first call and is replaced when a call ends it. When it does
 * not start, or exits without a call, the next start waits: 1 s, 2 s, … up to 30 s after several failures.
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
  /** Milliseconds for which the worker has executed calls. */
  #busyMs = 0;
  /** Monotonic milliseconds before which no worker is started. */
  #startsAt = -Infinity;
  /** Whether the worker has so much memory after the last call that it is replaced. */
  #isSpent = false;
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
   * failed ({@link WorkerEnded} when it took too long or ended the worker), with `unavailable` when no worker can be started or the slot is closed.
   */
  async call(request: unknown): Promise<unknown> {
    this.#stopIdleTimer();
    const worker = await this.#start();
    const startedAt = this.#options.clock.monotonicMs();
    try {
      return await this.#execute(worker, request);
    } finally {
      this.#busyMs += this.#options.clock.monotonicMs() - startedAt;
      // Waits for the end of a spent worker: its memory is free before the next large call starts.
      if (this.#isSpent && !this.#options.isAwaited()) await this.#end();
      else if (this.#busyMs > this.#options.busyMsMax) void this.#end();
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

  async #start(): Promise<RunningWorker> {
    const waitMs = this.#startsAt - this.#options.clock.monotonicMs();
    if (this.#open === null && waitMs > 0) {
      if (this.#cannotStart) throw unavailable(waitMs);
      await Promise.race([this.#pause(waitMs), this.#closing.promise]);
    }
    if (this.#isClosed) throw closed();
    try {
      const opened = (this.#open ??= this.#openWorker());
      await Promise.race([opened.ready, this.#closing.promise]);
      this.#cannotStart = false;
      return opened.worker;
    } catch (error) {
      if (this.#isClosed) throw closed();
      // What is needed for a start is missing.
      if (error instanceof Problem) throw error;
      this.#cannotStart = true;
      this.#failed(error);
      throw unavailable(this.#startsAt - this.#options.clock.monotonicMs(), error);
    }
  }

  async #pause(waitMs: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#options.clock.after(waitMs, resolve));
  }

  #openWorker(): Open {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { worker: options, openWorker, clock, startMsMax } = this.#options;
    let isReady = false;
    const stopTimer = clock.after(startMsMax, () =>
      reject(new Error(`the worker did not start within ${String(startMsMax)} ms`)),
    );
    this.#busyMs = 0;
    this.#isSpent = false;
    const events: WorkerEvents = {
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
        else if (this.#open?.worker === worker) this.#exited(error, new WorkerDeath(reasonOf(error), { cause: error }));
      },
    };
    const worker = openWorker({ ...options, clock }, events);
    return { worker, ready: promise };
  }

  async #execute(worker: RunningWorker, request: unknown): Promise<unknown> {
    const { clock, callMsMax } = this.#options;
    const number = ++this.#lastNumber;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const stopTimer = clock.after(callMsMax, () =>
      this.#exited(new Error(`the call took longer than ${String(callMsMax)} ms`)),
    );
    this.#executing = { number, resolve, reject, stopTimer };
    worker.setBusy(true);
    try {
      worker.post({ number, request } satisfies WorkerCall<unknown>);
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
    this.#open?.worker.setBusy(false);
    this.#failuresInARow = 0;
    this.#isSpent = message.isSpent;
    if (message.kind === "answered") {
      this.#options.task.succeeded();
      executing?.resolve(message.answer);
      return;
    }
    const error = new WorkerCallFailed(message.reason);
    this.#options.task.failed(error);
    executing?.reject(error);
  }

  /** Rejects the running call, if any, with a cause, after the worker has exited or hung. */
  #exited(error: unknown, cause: unknown = error): void {
    const executing = this.#settle();
    if (executing === null) {
      if (!this.#isClosed) this.#failed(error);
      return;
    }
    // The call is guilty, not the worker: others do not wait for its pause.
    this.#options.task.failed(error);
    void this.#end();
    executing.reject(new WorkerEnded(reasonOf(error), { cause }));
  }

  #failed(error: unknown): void {
    this.#failuresInARow += 1;
    const pauseMs = pauseAfter(this.#failuresInARow + (this.#cannotStart ? 1 : 0));
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
    const worker = this.#open?.worker;
    this.#open = null;
    await worker?.terminate();
  }

  #startIdleTimer(): void {
    if (this.#isClosed) return;
    this.#stopIdleTimer = this.#options.clock.after(this.#options.idleMsMax, () => void this.#end());
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function closed(): Problem {
  return new Problem("unavailable", { text: "The service is shutting down" });
}

function unavailable(waitMs: number, cause?: unknown): Problem {
  return new Problem("unavailable", { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)), cause });
}
