import type { BackgroundTaskEvent, BackgroundTaskState } from "../../core/background-tasks.ts";
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

// Definitions of the metrics of background tasks.

/** One metric with a series for each task. */
export interface TaskMetric {
  readonly name: string;
  readonly help: string;
  /** Returns the value for a task; null when it has none. */
  readonly read: (state: BackgroundTaskState) => number | null;
}

/** Counter of failed rounds. */
export const taskFailures: TaskMetric = {
  name: "restante_background_failures_total",
  help: "Failed rounds of background tasks since the start",
  read: ({ failureCount }) => failureCount,
};

/** Gauges of background tasks. */
export const taskGauges: readonly TaskMetric[] = [
  {
    name: "restante_background_last_success_timestamp_seconds",
    help: "End of the last successful round of a background task, in seconds since the Unix epoch",
    read: ({ lastSuccessAt }) => (lastSuccessAt === null ? null : lastSuccessAt / 1000),
  },
  {
    name: "restante_background_failing",
    help: "1 while the last round of a background task failed, else 0",
    read: ({ state }) => (state === "failing" ? 1 : 0),
  },
  {
    name: "restante_background_backlog",
    help: "Items waiting for a background task",
    read: ({ backlog }) => backlog,
  },
  {
    name: "restante_background_oldest_waiting_seconds",
    help: "Age of the oldest item waiting for a background task",
    read: ({ oldestWaitingMs }) => (oldestWaitingMs === null ? null : oldestWaitingMs / 1000),
  },
];
