/** RPC to worker threads and processes. */
import type { ResourceLimits } from "node:worker_threads";
import type { BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import { FairQueue } from "../core/fair-queue.ts";
import type { HandedOver } from "./hand-over.ts";
import { WorkerSlot } from "./worker-slot.ts";
import { openWorkerThread } from "./worker-thread.ts";

/** Options of a {@link WorkerRpc}. */
export interface WorkerRpcOptions {
  /** Name of the background task that failures, backlog and ages are reported to. */
  readonly task: string;
  /** Effect on users while the task fails. */
  readonly degrades?: string;
  /** The worker's module, which calls `answerCalls`. */
  readonly file: URL;
  readonly workerData: unknown;
  readonly resourceLimits: ResourceLimits;
  /** Threads, each of which executes one call at a time; 1 by default. */
  readonly workerCount?: number;
  /** Longest execution of one call, in milliseconds; waiting and the start of the thread do not count. */
  readonly callMsMax: number;
  /** Longest start of a worker, in milliseconds; 25 s by default. */
  readonly startMsMax?: number;
  /** Calls of one key that wait; one more is rejected with `too_many_requests`. */
  readonly waitingPerKeyCountMax: number;
  /** Calls of all keys that wait; one more is rejected with `unavailable`. */
  readonly waitingCountMax: number;
  readonly tasks: BackgroundTasks;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** Starts a worker; a thread by default. */
  readonly openThread?: typeof openWorkerThread | undefined;
}

/** Transfer of requests to the worker. */
export interface WorkerRequests<Request> {
  /**
   * Prepares a request when its turn comes, so that waiting requests hold no content that can be loaded later. Clones the
   * whole request by default. The call rejects when this rejects.
   */
  readonly handOver?: (request: Request) => HandedOver | Promise<HandedOver>;
}

const usualStartMsMax = 25_000;
const idleMsMax = 60_000;

/** Caller of an RPC. */
export interface WorkerCaller {
  /** Calls of different keys are served round-robin. */
  readonly key: string;
  /** Removes a waiting call from the queue; a call in execution continues. */
  readonly signal?: AbortSignal;
}

/**
 * Executes calls on workers, queued fairly between keys, each with its own time limit. A call that takes too long or ends
 * its worker is rejected with `WorkerCallFailed`; the others are executed by the next worker.
 */
export class WorkerRpc<Request, Answer> {
  readonly #queue: FairQueue;
  readonly #idle: WorkerSlot[];
  readonly #slots: readonly WorkerSlot[];
  readonly #endTask: () => void;
  /** Monotonic start of waiting of each waiting call, oldest first. */
  readonly #waitingSince = new Set<{ readonly at: number }>();
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #handOver: (request: Request) => HandedOver | Promise<HandedOver>;
  #isClosed = false;

  constructor(options: WorkerRpcOptions & WorkerRequests<Request>) {
    const { workerCount = 1, openThread = openWorkerThread, clock, callMsMax } = options;
    const { startMsMax = usualStartMsMax } = options;
    const { file, workerData, resourceLimits, waitingPerKeyCountMax, waitingCountMax, degrades } = options;
    this.#clock = clock;
    this.#handOver = options.handOver ?? ((request) => ({ message: request, moved: [] }));
    this.#queue = new FairQueue({ runningCountMax: workerCount, waitingPerKeyCountMax, waitingCountMax });
    const task = options.tasks.register(options.task, {
      backlog: () => this.#queue.waitingCount,
      oldestWaitingMs: () => this.#oldestWaitingMs(),
      ...(degrades === undefined ? {} : { degrades }),
    });
    this.#endTask = () => {
      task.end();
    };
    const thread = { file, workerData, resourceLimits };
    const times = { callMsMax, startMsMax, idleMsMax };
    this.#slots = Array.from({ length: workerCount }, () => {
      return new WorkerSlot({ thread, openThread, clock, task, ...times });
    });
    this.#idle = [...this.#slots];
  }

  /**
   * Executes one call. Rejects with `WorkerCallFailed` when this call failed, with `too_many_requests` or `unavailable` when
   * too many wait, with `unavailable` when no worker can be started, and with the signal's reason when it aborts while the
   * call waits.
   */
  async call(request: Request, { key, signal }: WorkerCaller): Promise<Answer> {
    const since = { at: this.#clock.monotonicMs() };
    this.#waitingSince.add(since);
    try {
      return await this.#queue.run(
        key,
        async () => {
          this.#waitingSince.delete(since);
          return await this.#execute(request);
        },
        signal,
      );
    } finally {
      this.#waitingSince.delete(since);
    }
  }

  /** Terminates the workers; pending calls reject with `unavailable`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#slots.map(async (slot) => slot.close()));
    this.#endTask();
  }

  async #execute(request: Request): Promise<Answer> {
    if (this.#isClosed) throw new Problem("unavailable", { text: "The service is shutting down" });
    const slot = this.#idle.pop();
    if (slot === undefined) throw new Error("more calls than workers are running");
    try {
      return (await slot.call(await this.#handOver(request))) as Answer;
    } finally {
      this.#idle.push(slot);
    }
  }

  #oldestWaitingMs(): number {
    const [oldest] = this.#waitingSince;
    return oldest === undefined ? 0 : this.#clock.monotonicMs() - oldest.at;
  }
}
