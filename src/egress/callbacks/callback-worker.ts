/** Worker that sends due callbacks and records their outcomes: fair between receivers, with bounded memory and sockets. */
import { randomUUID } from "node:crypto";
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { CallbackStore } from "../../store/callback-store.ts";
import { attemptCallback, type AttemptDependencies } from "./attempt-callback.ts";
import { CallbackQueue, type ClaimedDelivery } from "./callback-queue.ts";
import { callbackPausesMsMax } from "./callback-schedule.ts";
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
  /** Stops starting attempts; resolves when running ones have ended and are recorded, or after ten seconds. */
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
const leaseMs = 5 * 60_000;
/** Leases are extended when less than this is left; a request takes at most 15 s. */
const leaseMsMin = 2 * 60_000;
/** Longest sleep, since other processes may add deliveries. */
const sleepMsMax = 5000;
/** Sleep while deliveries are due that may not be sent yet. */
const saturatedSleepMs = 500;
/** Pause between two checks, so that deliveries that arrive together are claimed together. */
const checkPauseMs = 5;
const drainMsMax = 10_000;
/** Backward steps of the wall clock up to this size delay deliveries by no more than it. */
const clockStepMsMin = 1000;

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
  readonly #claimed = new Set<ClaimedDelivery>();
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;
  #isChecking = false;
  #wasNotified = false;
  #cancelSleep: () => void = () => undefined;
  /** End of the last check, by the monotonic clock. */
  #checkedAtMs = -Infinity;
  /** Wall clock minus monotonic clock when due times were last bounded; infinite before the first time. */
  #clockOffsetMs = Infinity;

  constructor(options: CallbackWorkerOptions) {
    this.#options = options;
    const { store, clock, task, onRecorded } = options;
    const onSettled = (claimed: ClaimedDelivery): void => void this.#claimed.delete(claimed);
    this.#recorder = new OutcomeRecorder({ store, clock, task, onRecorded, onSettled });
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
    await this.#boundDueTimes(now);
    await this.#extendLeases(now);
    const due = await store.listDueQueues(now, queueCountMax);
    const claims = this.#claimsOf(due);
    const foundCount = await this.#claim(claims, now);
    for (const queue of this.#queues.values()) this.#startRequests(queue);
    if (foundCount > 0) return checkPauseMs;
    const dueAt = due.length > 0 ? now : await store.nextDeliveryAt();
    return dueAt !== null && dueAt <= now ? saturatedSleepMs : (dueAt ?? Infinity) - now;
  }

  async #claim(claims: readonly { queue: string; limit: number }[], now: number): Promise<number> {
    if (claims.length === 0 || this.#isClosed) return 0;
    const lease = this.#newLease();
    const leaseEndsAt = now + leaseMs;
    const found = await this.#options.store.claimDeliveries({ now, leaseEndsAt, lease, queues: claims });
    const byQueue = Map.groupBy(
      found.map((stored): ClaimedDelivery => ({ stored, lease, leaseEndsAt })),
      ({ stored }) => stored.queue,
    );
    for (const { queue: name, limit } of claims) {
      const claimed = byQueue.get(name) ?? [];
      for (const one of claimed) this.#claimed.add(one);
      this.#queueOf(name).add(claimed, claimed.length >= limit);
    }
    if (this.#isClosed) await this.#returnWaiting();
    return found.length;
  }

  #newLease(): string {
    const { holder } = this.#options;
    return holder === undefined ? randomUUID() : `${holder}/${randomUUID()}`;
  }

  /** Returns how many deliveries to claim from each queue; those without claimed deliveries may always claim one. */
  #claimsOf(due: readonly string[]): { queue: string; limit: number }[] {
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
    for (const [index, claimed] of carried.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined) this.#recorder.add(claimed, outcome);
    }
    const unsent = this.#isClosed ? queue.removeWaiting() : queue.shed(clock.monotonicMs());
    if (unsent.length > 0) await this.#return(unsent);
    this.#startRequests(queue);
    if (queue.hasMore && queue.wantedCount(clock.monotonicMs()) > 0) this.wake();
  }

  async #returnWaiting(): Promise<void> {
    await this.#return([...this.#queues.values()].flatMap((queue) => queue.removeWaiting()));
  }

  /** Returns claims to the store; when that fails, the leases end by themselves. */
  async #return(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    for (const one of deliveries) this.#claimed.delete(one);
    const leases = deliveries.map(({ stored, lease }) => ({ delivery: stored.id, lease }));
    try {
      await this.#options.store.returnDeliveries(leases);
    } catch (error) {
      this.#options.task.failed(error);
    }
  }

  /** Limits due times at start and after the wall clock was set back, so that the step does not delay deliveries. */
  async #boundDueTimes(now: number): Promise<void> {
    const { store, clock, firstPauseMs } = this.#options;
    const offsetMs = now - clock.monotonicMs();
    if (offsetMs <= this.#clockOffsetMs - clockStepMsMin) {
      await store.boundDeliveryTimes({ now, pausesMsMax: callbackPausesMsMax(firstPauseMs), leaseMsMax: leaseMs });
      for (const one of this.#claimed) one.leaseEndsAt = Math.min(one.leaseEndsAt, now + leaseMs);
    }
    this.#clockOffsetMs = offsetMs;
  }

  /** Extends leases that end too soon: of deliveries that wait for long, and after the wall clock was stepped forward. */
  async #extendLeases(now: number): Promise<void> {
    const ending = [...this.#claimed].filter(({ leaseEndsAt }) => leaseEndsAt - now < leaseMsMin);
    if (ending.length === 0) return;
    const leases = ending.map(({ stored, lease }) => ({ delivery: stored.id, lease }));
    await this.#options.store.extendDeliveryLeases(leases, now + leaseMs);
    for (const one of ending) one.leaseEndsAt = now + leaseMs;
  }

  #sleep(untilMs: number): void {
    this.#cancelSleep();
    if (this.#isClosed) return;
    this.#cancelSleep = this.#options.clock.after(Math.min(untilMs, sleepMsMax), this.wake);
  }
}
