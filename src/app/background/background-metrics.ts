/** Definitions of the metrics of background tasks. */
import type { BackgroundTaskState } from "../../core/background-tasks.ts";

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
