import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";

/** Reporter of one open event stream; a stream that is closed reports nothing more. */
export interface EventStreamReport extends Pick<BackgroundTask, "succeeded" | "failed"> {
  readonly closed: () => void;
}

/** Event streams of all callers, as one background task. */
export interface EventStreams {
  readonly opened: () => EventStreamReport;
}

/** Registers the task `event_streams`: it fails while an open stream cannot read changes, and not after the last is closed. */
export function createEventStreams(tasks: BackgroundTasks): EventStreams {
  const task = tasks.register("event_streams", { degrades: "event streams report changes late" });
  const failing = new Set<EventStreamReport>();
  const settle = (stream: EventStreamReport): void => {
    failing.delete(stream);
    if (failing.size === 0) task.succeeded();
  };
  return {
    opened: () => {
      const stream: EventStreamReport = {
        succeeded: () => settle(stream),
        failed: (error, retryInMs) => {
          failing.add(stream);
          task.failed(error, retryInMs);
        },
        closed: () => {
          if (failing.has(stream)) settle(stream);
        },
      };
      return stream;
    },
  };
}
