import type { BackgroundTaskEvent } from "../../core/background-tasks.ts";
import type { Log } from "../log/log.ts";
import { descriptorTask } from "./descriptor-watch.ts";

/** Logs one event of the background task registry. */
export function logBackgroundTask(log: Log, { kind, task, error, retryInMs, failureCount }: BackgroundTaskEvent): void {
  if (task === "storage" && kind !== "still_failing") {
    logStorage(log, kind === "failed", error);
    return;
  }
  if (task === descriptorTask) {
    logDescriptors(log, { kind, error, failureCount });
    return;
  }
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

function logStorage(log: Log, isFull: boolean, error: unknown): void {
  if (isFull) log.error({ err: error }, "disk full: mail is refused with 452 until there is space again");
  else log.info({}, "disk has space again");
}

function logDescriptors(
  log: Log,
  { kind, error, failureCount }: Pick<BackgroundTaskEvent, "kind" | "error" | "failureCount">,
): void {
  if (kind === "recovered") log.info({ failureCount }, "file descriptors are free again");
  else {
    const effect = "new connections are closed until some are free; raise the limit of open files";
    log.error({ err: error, failureCount }, `file descriptors exhausted: ${effect}`);
  }
}
