/** Reports about delivered messages to webhooks, made beside the workers that deliver them. */
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { MessageId } from "../../core/ids.ts";
import { reportDelivered } from "../../operations/callbacks/delivery-reports.ts";

/** Running reports. */
export interface DeliveryReports {
  /** Reports a message, one of whose deliveries has succeeded. */
  readonly add: (message: MessageId) => void;
  /** Resolves when the reports that were added are made. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the reports, one at a time. A report is lost when the process ends between the recorded attempt and the report, or
 * when the store fails then, which `task` reports.
 */
export function startDeliveryReports(
  context: Parameters<typeof reportDelivered>[0],
  task: Pick<BackgroundTask, "failed">,
): DeliveryReports {
  const waiting = new Set<MessageId>();
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    for (const message of waiting) {
      waiting.delete(message);
      try {
        await reportDelivered(context, message);
      } catch (error) {
        task.failed(error);
      }
    }
    running = null;
  };
  return {
    add: (message) => {
      waiting.add(message);
      running ??= run();
    },
    close: async () => {
      await running;
    },
  };
}
