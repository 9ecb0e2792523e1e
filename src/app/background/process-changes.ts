/** Background task that turns changes of servers into deliveries of callbacks. */
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { ServerId } from "../../core/ids.ts";
import { createChangeProcessor } from "../../operations/callbacks/process-changes.ts";
import type { ChangeProcessor } from "../../operations/callbacks/process-changes.ts";
import { startWakeableLoop, type WakeableLoop } from "./background-loop.ts";
import type { Context } from "../../operations/context.ts";
import type { LaggingServer } from "../../store/callback-store.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { createRepeatLog } from "../log/throttled-log.ts";

/**
 * Longest pause between two queries, in milliseconds: finds changes that other nodes committed or that a crashed process
 * left, and the servers of new targets.
 */
const pollMs = 5000;
const retryMsMin = 1000;
const retryMsMax = 60_000;
/** Servers that one query returns. */
const serverCountMax = 1000;
/** Failures in a row after which a round ends, since the store is probably unavailable. */
const failureCountMax = 3;

/** Dependencies of the task beside those of operations. */
type TaskDependencies = Pick<BaseDependencies, "log" | "tasks">;

/**
 * Starts the task; the returned function stops it and resolves when the current round has ended. It wakes at each change of
 * a server with targets, when targets may be new, and every 5 seconds.
 */
export function startChangeProcessing(
  { context, notifiers: { deliveries, changes } }: Pick<Assembly, "context" | "notifiers">,
  dependencies: TaskDependencies,
): () => Promise<void> {
  const loop = new ChangeLoop({ ...context, wakeCallbacks: deliveries.notify }, dependencies);
  changes.listen(() => loop.wake());
  return async () => {
    changes.listen(() => undefined);
    await loop.stop();
  };
}

/** Pause of one server, while others are processed: its changes failed, or too many of its deliveries are pending. */
interface ServerPause {
  /** Monotonic milliseconds. */
  readonly until: number;
  readonly failureCount: number;
  /** Changes that were to be processed. */
  readonly lagCount: number;
}

class ChangeLoop {
  readonly #context: Context;
  readonly #logRepeated: ReturnType<typeof createRepeatLog>;
  readonly #task: BackgroundTask;
  readonly #processor: ChangeProcessor;
  readonly #loop: WakeableLoop;
  readonly #subscriptions: Subscriptions;
  #lagging: readonly LaggingServer[] = [];
  readonly #pauses = new Map<ServerId, ServerPause>();
  #isStopped = false;
  #isUpdateDue = true;
  #updatedAt = 0;

  constructor(context: Context, { log, tasks }: TaskDependencies) {
    this.#context = context;
    this.#logRepeated = createRepeatLog(log, context.clock, "error");
    this.#processor = createChangeProcessor(context);
    this.#subscriptions = createSubscriptions(context, () => this.#loop.wake());
    const degrades = "webhooks and events of providers are late";
    this.#task = tasks.register("callbacks", { backlog: () => this.#backlog(), degrades });
    this.#loop = startWakeableLoop(context.clock, {
      round: async () => {
        await this.#processAll();
        return this.#shortestPauseMs();
      },
      everyMs: pollMs,
      retryMsMin,
      // It succeeds when no server lags.
      task: { ...this.#task, succeeded: () => undefined },
    });
  }

  wake(): void {
    this.#isUpdateDue = true;
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
    this.#subscriptions.close();
  }

  /** Processes until no server has further changes that can be processed now. */
  async #processAll(): Promise<void> {
    await this.#updateSubscriptions();
    for (;;) {
      const now = this.#context.clock.monotonicMs();
      // However many servers pause, others are listed.
      const paused = [...this.#pauses].flatMap(([server, { until }]) => (until > now ? [server] : []));
      this.#lagging = await this.#context.store.callbacks.listLaggingServers(serverCountMax, paused);
      const kept = new Set([...paused, ...this.#lagging.map(({ server }) => server)]);
      for (const server of this.#pauses.keys()) if (!kept.has(server)) this.#pauses.delete(server);
      if (!(await this.#processEach())) return;
    }
  }

  /** Processes one step of each server that does not pause; returns whether there may be more. */
  async #processEach(): Promise<boolean> {
    let isAnyProcessed = false;
    let failuresInARow = 0;
    for (const one of this.#lagging) {
      if (this.#isStopped) return false;
      if ((this.#pauses.get(one.server)?.until ?? -Infinity) > this.#context.clock.monotonicMs()) continue;
      try {
        isAnyProcessed = (await this.#process(one)) || isAnyProcessed;
        failuresInARow = 0;
      } catch (error) {
        // A failure of one server delays no other.
        this.#pauseFailed(one, error);
        failuresInARow += 1;
        if (failuresInARow >= failureCountMax) return false;
      }
    }
    if (this.#lagging.length === 0 && this.#pauses.size === 0) this.#task.succeeded();
    return isAnyProcessed;
  }

  /** Logs an event of a server as an error, once a minute; the others at level debug. */
  #logError(fields: { readonly server: ServerId } & Readonly<Record<string, unknown>>, event: string): void {
    this.#logRepeated(`${fields.server} ${event}`, fields, event);
  }

  /** Returns the number of unprocessed changes of the listed and the paused servers. */
  #backlog(): number {
    const lags = new Map([...this.#pauses].map(([server, { lagCount }]) => [server, lagCount]));
    for (const one of this.#lagging) lags.set(one.server, lagCountOf(one));
    return [...lags.values()].reduce((sum, count) => sum + count, 0);
  }

  #pauseFailed(lagging: LaggingServer, error: unknown): void {
    const failureCount = this.#pauses.get(lagging.server)?.failureCount ?? 0;
    const pauseMs = Math.min(retryMsMin * 2 ** failureCount, retryMsMax);
    this.#pause(lagging, { pauseMs, failureCount: failureCount + 1 });
    this.#task.failed(error, pauseMs);
  }

  #pause(lagging: LaggingServer, { pauseMs, failureCount }: { pauseMs: number; failureCount: number }): void {
    const until = this.#context.clock.monotonicMs() + pauseMs;
    this.#pauses.set(lagging.server, { until, failureCount, lagCount: lagCountOf(lagging) });
  }

  /** Returns the pause until a server is due again. */
  #shortestPauseMs(): number {
    const now = this.#context.clock.monotonicMs();
    const pauses = [...this.#pauses.values()].map(({ until }) => Math.max(retryMsMin, until - now));
    return Math.min(pollMs, ...pauses);
  }

  /** Processes one step of a server; returns whether there may be more. */
  async #process(lagging: LaggingServer): Promise<boolean> {
    const { server } = lagging;
    const { result, cursor, skippedCount, errors } = await this.#processor.process(lagging);
    for (const error of errors) this.#logError({ server, err: error }, "callbacks of a change were skipped");
    if (result === "skipped") this.#logError({ server, count: skippedCount }, "changes skipped by callbacks");
    if (skippedCount > 0) this.#task.failed(errors[0] ?? new Error(`${String(skippedCount)} changes were skipped`));
    if (result === "held") {
      this.#pause(lagging, { pauseMs: pollMs, failureCount: 0 });
      this.#task.failed(new Error("too many pending deliveries: changes wait"), pollMs);
    } else {
      this.#pauses.delete(lagging.server);
      this.#context.events.noteSeen(server, cursor);
    }
    return result === "processed" || result === "skipped";
  }

  async #updateSubscriptions(): Promise<void> {
    const now = this.#context.clock.monotonicMs();
    if (!this.#isUpdateDue && now - this.#updatedAt < pollMs) return;
    this.#isUpdateDue = false;
    this.#updatedAt = now;
    await this.#subscriptions.update();
  }
}

function lagCountOf({ sequence, cursor }: LaggingServer): number {
  return sequence - cursor;
}

/** Subscriptions to the changes of all servers with targets. */
interface Subscriptions {
  readonly update: () => Promise<void>;
  readonly close: () => void;
}

function createSubscriptions({ store, events }: Context, notify: () => void): Subscriptions {
  const subscribed = new Map<ServerId, () => void>();
  return {
    update: async () => {
      const servers = new Set(await store.callbacks.listTargetServers());
      for (const server of servers)
        if (!subscribed.has(server)) subscribed.set(server, events.subscribe(server, notify));
      for (const [server, cancel] of subscribed) {
        if (servers.has(server)) continue;
        cancel();
        subscribed.delete(server);
      }
    },
    close: () => {
      for (const cancel of subscribed.values()) cancel();
      subscribed.clear();
    },
  };
}
