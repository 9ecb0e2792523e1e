/** Reports about delivered messages to webhooks, made beside the workers that deliver them. */
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import { reportDelivered } from "../../operations/callbacks/delivery-reports.ts";

/** Running reports. */
export interface DeliveryReports {
  /** Reports a message, one of whose deliveries has succeeded. */
  readonly add: (message: MessageId) => void;
  /** Resolves when the reports that were added are made. */
  readonly close: () => Promise<void>;
}

/** Pause before a report is made again while the store cannot be reached or its disk is full. */
const retryMs = 1000;

/**
 * Starts the reports, one at a time; `task` receives failures. While the store is unavailable, a report is made again every
 * second until `close`; an event is queued once, however often it is reported. A report is lost when the process ends
 * between the recorded attempt and the report.
 */
export function startDeliveryReports(
  context: Parameters<typeof reportDelivered>[0] & { readonly clock: Pick<Clock, "after"> },
  task: Pick<BackgroundTask, "failed">,
): DeliveryReports {
  const waiting = new Set<MessageId>();
  const closing = Promise.withResolvers<void>();
  let isClosed = false;
  let running: Promise<void> | null = null;
  const report = async (message: MessageId): Promise<void> => {
    try {
      await reportDelivered(context, message);
      waiting.delete(message);
    } catch (error) {
      const isRetried = !isClosed && isOutage(error);
      task.failed(error, isRetried ? retryMs : undefined);
      if (!isRetried) waiting.delete(message);
      else
        await Promise.race([
          closing.promise,
          new Promise<void>((resolve) => void context.clock.after(retryMs, resolve)),
        ]);
    }
  };
  const run = async (): Promise<void> => {
    for (let [message] = waiting; message !== undefined; [message] = waiting) await report(message);
    running = null;
  };
  return {
    add: (message) => {
      waiting.add(message);
      running ??= run();
    },
    close: async () => {
      isClosed = true;
      closing.resolve();
      await running;
    },
  };
}

function isOutage(error: unknown): boolean {
  return error instanceof Problem && (error.code === "unavailable" || error.code === "storage_full");
}
