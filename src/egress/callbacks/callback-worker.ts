/** Worker that sends due callbacks and records their outcomes: fair between receivers, with bounded memory and sockets. */
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { CallbackClaim, CallbackStore } from "../../store/callback-store.ts";
import type { QuarantineStore } from "../../store/quarantine-store.ts";
import { attemptCallback, type AttemptDependencies } from "./attempt-callback.ts";
import { CallbackQueue, type ClaimedDelivery } from "./callback-queue.ts";
import { DeliveryClaims } from "./delivery-claims.ts";
import { OutcomeRecorder, type CallbackReport } from "./outcome-recorder.ts";

/** Methods of the store that the worker calls. */
export type WorkerStore = Pick<
  CallbackStore,
  | "listDueQueues"
  | "claimDeliveries"
  | "returnDeliveries"
  | "extendDeliveryLeases"
  | "recordAttempts"
  | "nextDeliveryAt"
  | "boundDeliveryTimes"
>;

/** Options of the worker. */
export interface CallbackWorkerOptions extends Omit<AttemptDependencies, "onError"> {
  readonly store: WorkerStore;
  readonly quarantine: Pick<QuarantineStore, "forgiveClaims">;
  /** Prefix of the leases, which identifies the node; none by default. */
  readonly holder?: string;
  readonly onRecorded: (report: CallbackReport) => void;
  /** Reporter of the worker: failures of the store and of renderers. Failed deliveries are reported to `onRecorded`. */
  readonly task: Pick<BackgroundTask, "succeeded" | "failed">;
}

/** Running worker. */
export interface CallbackWorker {
  /** Checks for due deliveries now. */
  readonly wake: () => void;
  /**
   * Stops starting attempts; resolves when running ones have ended and are recorded. After three seconds it returns the
   * claims of those that still run, whose outcome is then ignored: they are attempted again.
   */
  close(): Promise<void>;
}

/** Running requests over all queues: above the first number a queue may start one only when it has none. */
const runningCountMax = 512;
const runningCountHardMax = 1024;
/** Claimed deliveries that wait in memory, at most 64 kB each; above it a queue may claim one when it has none. */
const waitingCountMax = 1024;
/** Outcomes that may wait for the store before new attempts do. */
const unrecordedCountMax = 2048;
/** Queues with due deliveries that one check looks at. */
const queueCountMax = 1000;
/** Queues whose concurrency is remembered. */
const knownCountMax = 2000;
/** Longest sleep, since other processes may add deliveries. */
const sleepMsMax = 5000;
/** Sleep while deliveries are due that may not be sent yet. */
const saturatedSleepMs = 500;
/** Pause between two checks, so that deliveries that arrive together are claimed together. */
const checkPauseMs = 5;
const drainMsMax = 3000;

/** Starts a worker; it sleeps while nothing is due. */
export function startCallbackWorker(options: CallbackWorkerOptions): CallbackWorker {
  const loop = new WorkerLoop(options);
  loop.wake();
  return loop;
}

class WorkerLoop implements CallbackWorker {
  readonly #options: CallbackWorkerOptions;
  readonly #recorder: OutcomeRecorder;
  /** The queue that had a delivery least recently comes first. */
  readonly #queues = new Map<string, CallbackQueue>();
  readonly #claims: DeliveryClaims;
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;
  #isAborted = false;
  #isChecking = false;
  #wasNotified = false;
  #cancelSleep: () => void = () => undefined;
  /** Whether the last check found due deliveries and could claim none: suspects wait for others of them to end. */
  #isBlocked = false;
  /** End of the last check, by the monotonic clock. */
  #checkedAtMs = -Infinity;

  constructor(options: CallbackWorkerOptions) {
    this.#options = options;
    const { store, quarantine, clock, task, onRecorded } = options;
    this.#claims = new DeliveryClaims(options);
    const onSettled = (claimed: ClaimedDelivery): void => {
      this.#claims.forget(claimed);
    };
    this.#recorder = new OutcomeRecorder({ store, quarantine, clock, task, onRecorded, onSettled });
  }

  readonly wake = (): void => {
    this.#wasNotified = true;
    if (this.#isChecking || this.#isClosed) return;
    const pauseMs = this.#checkedAtMs + checkPauseMs - this.#options.clock.monotonicMs();
    if (pauseMs > 0) this.#sleep(pauseMs);
    else void this.#run();
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSleep();
    let cancelAlarm: () => void = () => undefined;
    const alarm = new Promise<void>((resolve) => {
      cancelAlarm = this.#options.clock.after(drainMsMax, resolve);
    });
    await Promise.race([this.#drain(), alarm]);
    cancelAlarm();
    this.#isAborted = true;
    this.#recorder.stop();
    await this.#claims.returnAll(this.#recorder.unrecorded);
  }

  async #drain(): Promise<void> {
    await this.#returnWaiting();
    await Promise.all(this.#running);
    await this.#recorder.finished();
  }

  async #run(): Promise<void> {
    this.#cancelSleep();
    this.#isChecking = true;
    this.#wasNotified = false;
    let sleepMs = sleepMsMax;
    try {
      sleepMs = await this.#check();
      this.#options.task.succeeded();
    } catch (error) {
      this.#options.task.failed(error, sleepMsMax);
    }
    this.#isChecking = false;
    this.#checkedAtMs = this.#options.clock.monotonicMs();
    this.#sleep(this.#wasNotified ? checkPauseMs : sleepMs);
  }

  /** Claims and starts due deliveries; returns the milliseconds until the next check. */
  async #check(): Promise<number> {
    const { store, clock } = this.#options;
    // One instant for the whole check: a step of the wall clock in between cannot make a running delivery due.
    const now = clock.now();
    await this.#claims.keep(now);
    const due = await store.listDueQueues(now, queueCountMax);
    const wanted = this.#wantedOf(due);
    const foundCount = await this.#claim(wanted, now);
    this.#isBlocked = wanted.length > 0 && foundCount === 0;
    for (const queue of this.#queues.values()) this.#startRequests(queue);
    if (foundCount > 0) return checkPauseMs;
    const dueAt = due.length > 0 ? now : await store.nextDeliveryAt();
    return dueAt !== null && dueAt <= now ? saturatedSleepMs : (dueAt ?? Infinity) - now;
  }

  async #claim(queues: CallbackClaim["queues"], now: number): Promise<number> {
    if (queues.length === 0 || this.#isClosed) return 0;
    const claimed = await this.#claims.claim(queues, now);
    const byQueue = Map.groupBy(claimed, ({ stored }) => stored.queue);
    for (const { queue: name, limit } of queues) {
      const ofQueue = byQueue.get(name) ?? [];
      this.#queueOf(name).add(ofQueue, ofQueue.length >= limit);
    }
    if (this.#isClosed) await this.#returnWaiting();
    return claimed.length;
  }

  /** Returns how many deliveries to claim from each queue; those without claimed deliveries may always claim one. */
  #wantedOf(due: readonly string[]): CallbackClaim["queues"] {
    const nowMs = this.#options.clock.monotonicMs();
    let free = waitingCountMax - [...this.#queues.values()].reduce((sum, { waitingCount }) => sum + waitingCount, 0);
    const isBehind = this.#recorder.waitingCount > unrecordedCountMax;
    const claims: { queue: string; limit: number }[] = [];
    for (const [index, name] of (isBehind ? [] : due).entries()) {
      const queue = this.#queueOf(name);
      const share = Math.max(queue.isIdle ? 1 : 0, Math.floor(free / (due.length - index)));
      const limit = Math.min(queue.wantedCount(nowMs), share);
      if (limit > 0) claims.push({ queue: name, limit });
      else queue.add([], true);
      free -= limit;
    }
    return claims;
  }

  /** Returns a queue, and forgets old idle ones. */
  #queueOf(name: string): CallbackQueue {
    const queue = this.#queues.get(name) ?? new CallbackQueue(name);
    this.#queues.delete(name);
    this.#queues.set(name, queue);
    if (this.#queues.size > knownCountMax) {
      const idle = this.#queues.values().find((one) => one.isIdle && one !== queue);
      if (idle !== undefined) this.#queues.delete(idle.name);
    }
    return queue;
  }

  #startRequests(queue: CallbackQueue): void {
    while (!this.#isClosed && this.#mayStart(queue)) {
      const first = queue.begin();
      if (first === undefined) return;
      const request = this.#request(queue, first).catch((error: unknown) => {
        this.#options.task.failed(error);
      });
      this.#running.add(request);
      void request.then(() => this.#running.delete(request));
    }
  }

  #mayStart(queue: CallbackQueue): boolean {
    const { size } = this.#running;
    if (queue.waitingCount === 0) return false;
    const limit = queue.limit(this.#shareMax(size), this.#options.clock.monotonicMs());
    return queue.runningCount < limit && size < (queue.runningCount === 0 ? runningCountHardMax : runningCountMax);
  }

  /** Returns the requests that one queue may run: an equal share once many run. */
  #shareMax(runningCount: number): number {
    if (runningCount < runningCountMax / 2) return runningCountMax;
    return Math.floor(runningCountMax / [...this.#queues.values()].filter(({ isIdle }) => !isIdle).length);
  }

  async #request(queue: CallbackQueue, first: ClaimedDelivery): Promise<void> {
    const { clock, task } = this.#options;
    const onError = (error: unknown): void => {
      task.failed(error);
    };
    const result = await attemptCallback(
      { ...this.#options, onError },
      {
        first,
        extend: (countMax) => queue.extend(first, countMax),
        putBack: (deliveries) => {
          queue.putBack(deliveries);
        },
      },
    );
    queue.end(result.carried);
    const { retryAfterMs, carried, outcomes } = result;
    queue.adapt(result.receiver, { nowMs: clock.monotonicMs(), retryAfterMs });
    if (this.#isAborted) return;
    for (const [index, claimed] of carried.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined) this.#recorder.add(claimed, outcome);
    }
    const unsent = this.#isClosed ? queue.removeWaiting() : queue.shed(clock.monotonicMs());
    await this.#claims.return(unsent);
    this.#startRequests(queue);
    // Other queues may have waited for this request to end.
    const isSaturated = this.#isBlocked || this.#running.size >= runningCountMax;
    if (isSaturated || (queue.hasMore && queue.wantedCount(clock.monotonicMs()) > 0)) this.wake();
  }

  async #returnWaiting(): Promise<void> {
    await this.#claims.return([...this.#queues.values()].flatMap((queue) => queue.removeWaiting()));
  }

  #sleep(untilMs: number): void {
    this.#cancelSleep();
    if (this.#isClosed) return;
    this.#cancelSleep = this.#options.clock.after(Math.min(untilMs, sleepMsMax), this.wake);
  }
}
