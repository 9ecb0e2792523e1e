import type { BackgroundTaskEvent } from "../core/background-tasks.ts";
import type { Log } from "./log.ts";

/** Writes one line for an event of the background task registry. */
export function logBackgroundTask(log: Log, { kind, task, error, retryInMs, failureCount }: BackgroundTaskEvent): void {
  switch (kind) {
    case "failed":
      log.error({ task, err: error, retryInMs }, "background task failed");
      break;
    case "still_failing":
      log.error({ task, err: error, retryInMs, failureCount }, "background task is still failing");
      break;
    case "recovered":
      log.info({ task, failureCount }, "background task recovered");
      break;
  }
}
