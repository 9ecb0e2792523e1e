/** RPC to worker processes. */
import type { BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import { FairQueue } from "../core/fair-queue.ts";
import { type OpenWorker, type WorkerMemory, openWorkerProcess } from "./worker-process.ts";
import { pauseAfter, WorkerEnded, WorkerSlot } from "./worker-slot.ts";

/** Kind of worker: what it runs, and its limits. */
export interface WorkerKind {
  /** Name of the background task that failures, backlog and ages are reported to. */
  readonly task: string;
  /** Effect on users while the task fails. */
  readonly degrades?: string;
  /** The worker's module, which calls `answerCalls`. */
  readonly file: URL;
  readonly memory: WorkerMemory;
  /** Workers, each of which executes one call at a time; 1 by default. They start when calls need them at the same time. */
  readonly workerCount?: number;
  /** Calls of one key that are executed at the same time; `workerCount` by default. */
  readonly runningPerKeyCountMax?: number;
  /** Longest execution of one call, in milliseconds; waiting and the start of the worker do not count. */
  readonly callMsMax: number;
  /** Longest start of a worker, in milliseconds; 25 s by default. */
  readonly startMsMax?: number;
  /** Calls of one key that wait; one more is rejected with `too_many_requests`. */
  readonly waitingPerKeyCountMax: number;
  /** Calls of all keys that wait; one more is rejected with `unavailable`. */
  readonly waitingCountMax: number;
}

/** Options of a {@link WorkerRpc} besides its kind. */
export interface WorkerRpcOptions {
  /** Plain values that the worker reads with `readWorkerSettings`. */
  readonly workerData: unknown;
  readonly tasks: BackgroundTasks;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  /** Memory that large calls of several kinds of workers share; without it, each kind has its own. */
  readonly room?: WorkerRoom | undefined;
  /** Starts a worker; a process by default. */
  readonly openWorker?: OpenWorker | undefined;
}

/** Memory of worker processes. */
export interface WorkerRoom {
  /**
   * Resolves when a call whose request has `sizeBytes` may be executed, with a function that ends it; returns null for a small
   * one. Rejects with `too_many_requests` or `unavailable` when that takes too long.
   */
  readonly admit: (sizeBytes: number, key: string) => Promise<() => void> | null;
}

/** Transfer of requests to the worker. */
export interface WorkerRequests<Request> {
  /** Returns the bytes of the large content of a prepared request; those of a request that is an array of bytes by default. */
  readonly sizeOf?: (prepared: unknown) => number;
  /**
   * Prepares a request when its turn comes, so that waiting requests hold no content that can be loaded later; the request
   * itself by default. The call rejects when this rejects.
   */
  readonly prepare?: (request: Request) => unknown;
}

const usualStartMsMax = 25_000;
const idleMsMax = 60_000;
/** Milliseconds of execution after which a worker is replaced. */
const busyMsMax = 60_000;
/** Threads of a worker that take CPU time: its own, and those that collect garbage and compile. */
const busyThreadCountMax = 4;
/** Milliseconds after which the failures of a key that sends no further calls are forgotten. */
const failureMemoryMs = 60_000;

/** Caller of an RPC. */
export interface WorkerCaller {
  /** Calls of different keys are served round-robin. */
  readonly key: string;
  /** Removes a waiting call from the queue; a call in execution continues. */
  readonly signal?: AbortSignal;
}

/** Calls of a key that ended their worker, without a success since. */
interface Failures {
  count: number;
  readonly forget: () => void;
}

/**
 * Executes calls on workers, queued fairly between keys, each with its own time limit. A call that takes too long or ends
 * its worker is rejected with `WorkerCallFailed`; the others are executed by the next worker. After several such calls in a
 * row, further calls of the same key wait: 1 s, 2 s, … up to 30 s.
 */
export class WorkerRpc<Request, Answer> {
  readonly #queue: FairQueue;
  readonly #idle: WorkerSlot[];
  readonly #slots: readonly WorkerSlot[];
  readonly #endTask: () => void;
  /** Monotonic start of waiting of each waiting call, oldest first. */
  readonly #waitingSince = new Set<{ readonly at: number }>();
  readonly #failures = new Map<string, Failures>();
  readonly #clock: Pick<Clock, "after" | "monotonicMs">;
  readonly #prepare: (request: Request) => unknown;
  readonly #sizeOf: (prepared: unknown) => number;
  readonly #room: WorkerRoom | undefined;
  #isClosed = false;

  constructor(options: WorkerKind & WorkerRpcOptions & WorkerRequests<Request>) {
    const { workerCount = 1, runningPerKeyCountMax = workerCount, openWorker = openWorkerProcess, clock } = options;
    const { startMsMax = usualStartMsMax, callMsMax, waitingPerKeyCountMax, waitingCountMax, degrades } = options;
    const { file, workerData, memory } = options;
    this.#clock = clock;
    this.#prepare = options.prepare ?? ((request) => request);
    this.#sizeOf = options.sizeOf ?? ((prepared) => (prepared instanceof Uint8Array ? prepared.byteLength : 0));
    this.#room = options.room;
    const counts = { runningPerKeyCountMax, waitingPerKeyCountMax, waitingCountMax };
    this.#queue = new FairQueue({ runningCountMax: workerCount, ...counts });
    const task = options.tasks.register(options.task, {
      backlog: () => this.#queue.waitingCount,
      oldestWaitingMs: () => this.#oldestWaitingMs(),
      ...(degrades === undefined ? {} : { degrades }),
    });
    this.#endTask = () => task.end();
    // Of a worker whose service was killed, and which therefore runs until its call ends.
    const cpuSecondsMax =
      memory.buffersMegabytesMax === null ? null : ((busyMsMax + callMsMax) / 1000) * busyThreadCountMax;
    const worker = { file, workerData, memory, cpuSecondsMax };
    const times = { callMsMax, startMsMax, idleMsMax, busyMsMax };
    const isAwaited = (): boolean => this.#queue.waitingCount > 0;
    this.#slots = Array.from({ length: workerCount }, () => {
      return new WorkerSlot({ worker, openWorker, clock, task, isAwaited, ...times });
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
          return await this.#execute(request, key);
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
    for (const { forget } of this.#failures.values()) forget();
    await Promise.all(this.#slots.map(async (slot) => slot.close()));
    this.#endTask();
  }

  async #execute(request: Request, key: string): Promise<Answer> {
    if (this.#isClosed) throw new Problem("unavailable", { text: "The service is shutting down" });
    const slot = this.#idle.pop();
    if (slot === undefined) throw new Error("more calls than workers are running");
    try {
      const answer = (await this.#inRoom(slot, await this.#prepare(request), key)) as Answer;
      this.#failures.get(key)?.forget();
      return answer;
    } catch (error) {
      if (error instanceof WorkerEnded) this.#failed(key);
      throw error;
    } finally {
      this.#idle.push(slot);
    }
  }

  async #inRoom(slot: WorkerSlot, prepared: unknown, key: string): Promise<unknown> {
    const leave = await this.#room?.admit(this.#sizeOf(prepared), key);
    try {
      return await slot.call(prepared);
    } finally {
      leave?.();
    }
  }

  /** Holds the calls of a key that has ended several workers in a row. */
  #failed(key: string): void {
    const before = this.#failures.get(key);
    before?.forget();
    if (this.#isClosed) return;
    const count = (before?.count ?? 0) + 1;
    const pauseMs = pauseAfter(count);
    const release = pauseMs === 0 ? (): void => undefined : this.#queue.hold(key);
    const stopTimers = [
      this.#clock.after(pauseMs, release),
      this.#clock.after(pauseMs + failureMemoryMs, () => this.#failures.delete(key)),
    ];
    const forget = (): void => {
      this.#failures.delete(key);
      for (const stop of stopTimers) stop();
      release();
    };
    this.#failures.set(key, { count, forget });
  }

  #oldestWaitingMs(): number {
    const [oldest] = this.#waitingSince;
    return oldest === undefined ? 0 : this.#clock.monotonicMs() - oldest.at;
  }
}
