import type { Context } from "../../operations/context.ts";
/** Background task that makes events of the deliveries of messages that the store recorded. */
import { makeReports } from "../../operations/callbacks/process-changes.ts";
import { createWakeSignal } from "../../operations/services/events/wait-for-messages.ts";
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
const retryMsMax = 60_000;

/** Starts the task, whose first query finds the reports of a process that crashed. */
export function startDeliveryReports(
  { context: all, wakeDeliveries }: Pick<Assembly, "wakeDeliveries"> & { readonly context: Context },
  tasks: BaseDependencies["tasks"],
): DeliveryReports {
  const context = { ...all, wakeCallbacks: wakeDeliveries };
  const task = tasks.register("delivery_reports", { degrades: "webhooks learn late that messages were delivered" });
  const signal = createWakeSignal();
  let isClosed = false;
  /** Makes the reports of one transaction; returns whether to continue at once. */
  const makeSome = async (): Promise<boolean> => {
    const { hasMore, errors } = await makeReports(context);
    for (const error of errors) task.failed(error);
    return hasMore && !isClosed;
  };
  const run = async (): Promise<void> => {
    let failuresInARow = 0;
    for (let isOpen = true; isOpen;) {
      let pauseMs = pollMs;
      try {
        while (await makeSome());
        task.succeeded();
        failuresInARow = 0;
      } catch (error) {
        pauseMs = Math.min(retryMsMin * 2 ** failuresInARow, retryMsMax);
        failuresInARow += 1;
        task.failed(error, pauseMs);
      }
      const cancel = context.clock.after(pauseMs, signal.notify);
      isOpen = await signal.next();
      cancel();
    }
  };
  const running = run();
  return {
    wake: signal.notify,
    close: async () => {
      isClosed = true;
      signal.end();
      await running;
      task.end();
    },
  };
}
