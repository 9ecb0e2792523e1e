/** The worker of every leased queue: claims due work, fairly between keys, runs it within limits, and records the outcomes. */
import type { BackgroundTask, BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import type { Lease, PendingWork, WorkClaim } from "../store/leased-queue.ts";
import { Claims, type Claimed, OutcomeRecorder } from "./claims.ts";
import type { Lane, QueueDefinition } from "./queue-definition.ts";

/** Environment of a worker. */
export interface WorkerEnvironment {
  readonly clock: Clock;
  /** Null when this process owns its store: the leases that it finds at its start are then those of a process that crashed. */
  readonly nodes: { readonly id: string } | null;
  readonly tasks: BackgroundTasks;
}

/** Running worker. */
export interface QueueWorker {
  /** Checks for due work now. */
  readonly wake: () => void;
  /** Work that is not done, as it was a few seconds ago. */
  readonly pending: PendingWork;
  /**
   * Stops starting attempts; resolves when running ones have ended and are recorded. After three seconds it returns the
   * claims of those that still run, whose outcome is then ignored: they are attempted again.
   */
  close(): Promise<void>;
}

/** Keys with due work that one check looks at. */
const keyCountMax = 1000;
/** Keys whose lane is remembered. */
const knownCountMax = 2000;
/** Outcomes that may wait for the store before new attempts do. */
const unrecordedCountMax = 2048;
const sleepMsDefault = 5000;
/** Sleep while work is due that may not be started yet. */
const saturatedSleepMs = 500;
/** Pause between two checks, so that work that arrives together is claimed together. */
const checkPauseMs = 5;
const drainMsMax = 3000;
/** Pause between two counts of the work that is not done. */
const countPauseMs = 5000;

/** Starts a worker, which sleeps while nothing is due. */
export function startQueueWorker<
  Item extends { readonly id: string },
  Outcome extends Lease,
  Recorded,
  Own extends Lane<Item>,
>(environment: WorkerEnvironment, definition: QueueDefinition<Item, Outcome, Recorded, Own>): QueueWorker {
  const worker = new WorkerLoop(environment, definition);
  worker.wake();
  return worker;
}

class WorkerLoop<
  Item extends { readonly id: string },
  Outcome extends Lease,
  Recorded,
  Own extends Lane<Item>,
> implements QueueWorker {
  readonly #clock: Clock;
  readonly #definition: QueueDefinition<Item, Outcome, Recorded, Own>;
  readonly #task: BackgroundTask;
  readonly #claims: Claims<Item>;
  readonly #recorder: OutcomeRecorder<Item, Outcome, Recorded>;
  /** The lane that had work least recently comes first. */
  readonly #lanes = new Map<string, Own>();
  readonly #running = new Set<Promise<void>>();
  #pending: PendingWork = { count: 0, oldestDueAt: null };
  /** End of the last count and of the last check, by the monotonic clock. */
  #countedAtMs = -Infinity;
  #checkedAtMs = -Infinity;
  /** Whether leases that a crashed process has left are still to be released: this process owns its store. */
  #isOwner: boolean;
  #isClosed = false;
  #isAborted = false;
  #isChecking = false;
  #wasNotified = false;
  #cancelSleep: () => void = () => undefined;
  /** Whether the last check found due work and could claim none: suspects wait for others of them to end. */
  #isBlocked = false;

  constructor({ clock, nodes, tasks }: WorkerEnvironment, definition: QueueDefinition<Item, Outcome, Recorded, Own>) {
    this.#clock = clock;
    this.#isOwner = nodes === null;
    this.#definition = definition;
    const { queue, name, degrades, pausesMsMax, onRecorded = () => undefined } = definition;
    const task = tasks.register(name, {
      degrades,
      backlog: () => this.#pending.count,
      oldestWaitingMs: () => Math.max(0, clock.now() - (this.#pending.oldestDueAt ?? Infinity)),
    });
    this.#task = task;
    this.#claims = new Claims({ queue, clock, holder: nodes?.id ?? null, pausesMsMax, task });
    this.#recorder = new OutcomeRecorder({ queue, claims: this.#claims, clock, task, onRecorded });
  }

  get pending(): PendingWork {
    return this.#pending;
  }

  readonly wake = (): void => {
    this.#wasNotified = true;
    if (this.#isChecking || this.#isClosed) return;
    const pauseMs = this.#checkedAtMs + checkPauseMs - this.#clock.monotonicMs();
    if (pauseMs > 0) this.#sleep(pauseMs);
    else void this.#run();
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSleep();
    let cancelAlarm: () => void = () => undefined;
    const alarm = new Promise<void>((resolve) => {
      cancelAlarm = this.#clock.after(drainMsMax, resolve);
    });
    await Promise.race([this.#drain(), alarm]);
    cancelAlarm();
    this.#isAborted = true;
    this.#recorder.stop();
    await this.#claims.returnAll(this.#recorder.unrecorded);
    this.#task.end();
  }

  async #drain(): Promise<void> {
    await this.#returnWaiting();
    await Promise.all(this.#running);
    await this.#recorder.finished();
  }

  get #sleepMsMax(): number {
    return this.#definition.limits.sleepMsMax ?? sleepMsDefault;
  }

  async #run(): Promise<void> {
    this.#cancelSleep();
    this.#isChecking = true;
    this.#wasNotified = false;
    let sleepMs = this.#sleepMsMax;
    try {
      sleepMs = await this.#check();
      this.#task.succeeded();
    } catch (error) {
      this.#task.failed(error, sleepMs);
    }
    this.#isChecking = false;
    this.#checkedAtMs = this.#clock.monotonicMs();
    this.#sleep(this.#wasNotified ? checkPauseMs : sleepMs);
  }

  /** Claims and starts due work; returns the milliseconds until the next check. */
  async #check(): Promise<number> {
    const { queue } = this.#definition;
    // One instant for the whole check: a step of the wall clock in between cannot make running work due.
    const now = this.#clock.now();
    if (this.#isOwner) await queue.releaseLeases(now);
    this.#isOwner = false;
    await this.#claims.keep(now);
    const due = await queue.listDueKeys(now, keyCountMax);
    const wanted = this.#wantedOf(due);
    const foundCount = await this.#claim(wanted, now);
    this.#isBlocked = wanted.length > 0 && foundCount === 0;
    for (const lane of this.#lanes.values()) this.#startAttempts(lane);
    if (foundCount > 0) return checkPauseMs;
    const dueAt = due.length > 0 ? now : await queue.nextDueAt();
    await this.#count(dueAt);
    if (dueAt === null || dueAt > now) return (dueAt ?? Infinity) - now;
    return this.#isWokenByEnd(due) ? this.#sleepMsMax : saturatedSleepMs;
  }

  /** Whether due work waits only for running attempts, whose end causes the next check. */
  #isWokenByEnd(due: readonly string[]): boolean {
    if (this.#running.size >= this.#definition.limits.runningCountMax) return true;
    return due.every((key) => (this.#lanes.get(key)?.runningCount ?? 0) > 0);
  }

  async #count(dueAt: number | null): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (dueAt === null) this.#pending = { count: 0, oldestDueAt: null };
    else if (nowMs - this.#countedAtMs >= countPauseMs) {
      this.#countedAtMs = nowMs;
      this.#pending = await this.#definition.queue.countPending();
    }
  }

  async #claim(keys: WorkClaim["keys"], now: number): Promise<number> {
    if (keys.length === 0 || this.#isClosed) return 0;
    const { keyOf = () => "" } = this.#definition;
    const claimed = await this.#claims.claim(keys, now);
    const byKey = Map.groupBy(claimed, ({ item }) => keyOf(item));
    for (const { key, limit } of keys) {
      const ofKey = byKey.get(key) ?? [];
      this.#laneOf(key).add(ofKey, ofKey.length >= limit);
    }
    if (this.#isClosed) await this.#returnWaiting();
    return claimed.length;
  }

  /** Returns how much to claim from each key. Where work may wait in memory, a key without claimed work may always claim one. */
  #wantedOf(due: readonly string[]): WorkClaim["keys"] {
    const { waitingCountMax, runningCountMax } = this.#definition.limits;
    const nowMs = this.#clock.monotonicMs();
    const waitingCount = [...this.#lanes.values()].reduce((sum, lane) => sum + lane.waitingCount, 0);
    let free = (waitingCountMax ?? runningCountMax - this.#running.size) - waitingCount;
    const isBehind = this.#recorder.waitingCount > unrecordedCountMax;
    const claims: { key: string; limit: number }[] = [];
    for (const [index, key] of (isBehind ? [] : due).entries()) {
      const lane = this.#laneOf(key);
      const least = lane.isIdle && (waitingCountMax !== undefined || free > 0) ? 1 : 0;
      const share = Math.max(least, Math.floor(free / (due.length - index)));
      const limit = Math.min(lane.wantedCount(nowMs), share);
      if (limit > 0) claims.push({ key, limit });
      else lane.add([], true);
      free -= limit;
    }
    return claims;
  }

  /** Returns a lane, and forgets old idle ones. */
  #laneOf(key: string): Own {
    const lane = this.#lanes.get(key) ?? this.#definition.openLane(key);
    this.#lanes.delete(key);
    this.#lanes.set(key, lane);
    if (this.#lanes.size > knownCountMax) {
      const idle = this.#lanes.values().find((one) => one.isIdle && one !== lane);
      if (idle !== undefined) this.#lanes.delete(idle.key);
    }
    return lane;
  }

  #startAttempts(lane: Own): void {
    while (!this.#isClosed && this.#mayStart(lane)) {
      const first = lane.begin();
      if (first === undefined) return;
      const attempt = this.#attempt(lane, first).catch((error: unknown) => {
        this.#task.failed(error);
      });
      this.#running.add(attempt);
      void attempt.then(() => this.#running.delete(attempt));
    }
  }

  #mayStart(lane: Own): boolean {
    const { runningCountMax, runningCountHardMax = runningCountMax } = this.#definition.limits;
    const { size } = this.#running;
    if (lane.waitingCount === 0) return false;
    const limit = lane.limit(this.#shareMax(size), this.#clock.monotonicMs());
    return lane.runningCount < limit && size < (lane.runningCount === 0 ? runningCountHardMax : runningCountMax);
  }

  /** Returns the attempts that one lane may run: an equal share once many run. */
  #shareMax(runningCount: number): number {
    const { runningCountMax } = this.#definition.limits;
    if (runningCount < runningCountMax / 2) return runningCountMax;
    return Math.floor(runningCountMax / [...this.#lanes.values()].filter(({ isIdle }) => !isIdle).length);
  }

  async #attempt(lane: Own, first: Claimed<Item>): Promise<void> {
    const { carried, outcomes } = await this.#definition.attempt(first, lane, this.#task);
    lane.end(carried);
    if (this.#isAborted) return;
    for (const [index, claimed] of carried.entries()) {
      const outcome = outcomes[index] ?? null;
      if (outcome === null) this.#claims.forget(claimed);
      else this.#recorder.add(claimed, outcome);
    }
    const nowMs = this.#clock.monotonicMs();
    await this.#claims.return(this.#isClosed ? lane.removeWaiting() : lane.shed(nowMs));
    this.#startAttempts(lane);
    // Other lanes may have waited for this attempt to end.
    const isSaturated = this.#isBlocked || this.#running.size >= this.#definition.limits.runningCountMax;
    if (isSaturated || (lane.hasMore && lane.wantedCount(nowMs) > 0)) this.wake();
  }

  async #returnWaiting(): Promise<void> {
    await this.#claims.return([...this.#lanes.values()].flatMap((lane) => lane.removeWaiting()));
  }

  #sleep(untilMs: number): void {
    this.#cancelSleep();
    if (this.#isClosed) return;
    this.#cancelSleep = this.#clock.after(Math.min(untilMs, this.#sleepMsMax), this.wake);
  }
}
