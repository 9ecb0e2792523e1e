/**
 * Everything that leaves the service: outbox, callbacks, and the tasks that make deliveries of callbacks; and the quarantine of
 * work that ends the process.
 */
import { makeReports } from "../../operations/callbacks/process-changes.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startWakeableLoop } from "./background-loop.ts";
import { startCallbackDelivery } from "./callback-delivery.ts";
import { startQuarantine } from "./mail-loops.ts";
import { startOutbox } from "./outbox.ts";
import { startChangeProcessing } from "./process-changes.ts";

/**
 * Starts the workers; the returned function stops them and waits for running attempts. Rejects as {@link startOutbox} does,
 * after those that were started have stopped.
 */
export async function startWorkers(
  assembly: Assembly,
  base: Pick<BaseDependencies, "config" | "log" | "nodes" | "tasks">,
): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack();
  stack.defer(startQuarantine(assembly, base));
  const reports = stack.adopt(startDeliveryReports(assembly, base.tasks), (running) => running.close());
  stack.defer(await startDeliveries(assembly, { ...base, reports }));
  stack.defer(startChangeProcessing(assembly, base));
  const running = stack.move();
  return () => running.disposeAsync();
}

/** Starts outbox and callbacks, which stop at the same time: each of them waits three seconds for receivers that do not answer. */
async function startDeliveries(
  assembly: Assembly,
  base: Parameters<typeof startOutbox>[1],
): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  const stops = [
    starting.adopt(await startOutbox(assembly, base), (stop) => stop()),
    starting.adopt(startCallbackDelivery(assembly, base), (stop) => stop()),
  ];
  starting.move();
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Background task that makes events of the deliveries of messages that the store recorded. */
export interface DeliveryReports {
  /** Makes the reports of attempts that were recorded just now. */
  readonly wake: () => void;
  /** Stops the task; resolves when running reports are stored. The others remain for the next start or another node. */
  readonly close: () => Promise<void>;
}

/** Dependencies of workers whose attempts deliver messages. */
export interface WorkerDependencies extends Pick<BaseDependencies, "config" | "log" | "nodes" | "tasks"> {
  readonly reports: Pick<DeliveryReports, "wake">;
}

/** Longest pause between two queries for reports: finds the reports of nodes that crashed. */
const pollMs = 5000;
const retryMsMin = 1000;

/** Starts the task, whose first query finds the reports of a process that crashed. */
export function startDeliveryReports(
  { context: all, notifiers }: Pick<Assembly, "context" | "notifiers">,
  tasks: BaseDependencies["tasks"],
): DeliveryReports {
  const context = { ...all, wakeCallbacks: notifiers.deliveries.notify };
  const task = tasks.register("delivery_reports", { degrades: "webhooks learn late that messages were delivered" });
  let isClosed = false;
  const round = async (): Promise<void> => {
    for (let isMore = true; isMore;) {
      const { hasMore, errors } = await makeReports(context);
      for (const error of errors) task.failed(error);
      isMore = hasMore && !isClosed;
    }
  };
  const loop = startWakeableLoop(context.clock, { round, everyMs: pollMs, retryMsMin, task });
  return {
    wake: loop.wake,
    close: async () => {
      isClosed = true;
      await loop.stop();
    },
  };
}
