/** Background task that makes events of the deliveries of messages that the store recorded. */
import { makeReports } from "../../operations/callbacks/process-changes.ts";
import { startWakeableLoop } from "./background-loop.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";

/** Running task. */
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

/** Longest pause between two queries: finds the reports of nodes that crashed. */
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
