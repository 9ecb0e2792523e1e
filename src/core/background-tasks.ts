/** Registry of everything that runs without a caller: workers, loops, queues. */
import type { Clock } from "./clock.ts";

/** Reporter that the owner of one background task calls after each round. Its methods return at once and never throw. */
export interface BackgroundTask {
  /** Records a round that ended well; ends a failure streak. */
  succeeded(): void;
  /** Records a round that failed. `retryInMs`: when its owner tries again, if it does. */
  failed(error: unknown, retryInMs?: number): void;
  /** Removes the task from the registry. */
  end(): void;
}

/** Options of a task. The functions must be cheap and must not throw. */
export interface BackgroundTaskOptions {
  /** Returns the number of items that wait. */
  readonly backlog?: () => number;
  /** Returns the age in milliseconds of the oldest item that waits; 0 when none does. */
  readonly oldestWaitingMs?: () => number;
  /** Effect on users while the task fails ("searches of bodies are slow"); `/readyz` reports it. Absent: none. */
  readonly degrades?: string;
}

/** Snapshot of one task; instants in milliseconds since the Unix epoch. */
export interface BackgroundTaskState {
  readonly task: string;
  /** `idle`: has never finished a round. */
  readonly state: "idle" | "ok" | "failing";
  readonly lastSuccessAt: number | null;
  readonly lastFailure: { readonly at: number; readonly reason: string; readonly retryInMs: number | null } | null;
  /** Failures since the start. */
  readonly failureCount: number;
  readonly backlog: number | null;
  readonly oldestWaitingMs: number | null;
  /** The task's `degrades` while it fails, else null. */
  readonly degrades: string | null;
}

/** Hands out reporters; names are snake_case nouns (`text_index`, `purge`, `outbox`) and label the metrics. */
export interface BackgroundTasks {
  /** Registers a task. A second task of the same name replaces the first. */
  register(task: string, options?: BackgroundTaskOptions): BackgroundTask;
}

/** One event for the log: the start of a failure streak, a summary once a minute while it lasts, its end. */
export interface BackgroundTaskEvent {
  readonly kind: "failed" | "still_failing" | "recovered";
  readonly task: string;
  /** Null with `recovered`. */
  readonly error: unknown;
  readonly retryInMs: number | null;
  /** Failures of the streak so far. */
  readonly failureCount: number;
}

/** Registry with read access to all tasks. */
export interface BackgroundTaskRegistry extends BackgroundTasks {
  /** Returns the state of every task, by name. */
  states(): readonly BackgroundTaskState[];
}

/** Longest text of a reason in a snapshot, in UTF-16 units. */
const reasonLengthMax = 500;
/** Pause between two `still_failing` events of one task. */
const summaryMs = 60_000;

interface Row {
  readonly options: BackgroundTaskOptions;
  lastSuccessAt: number | null;
  lastFailure: BackgroundTaskState["lastFailure"];
  failureCount: number;
  streakCount: number;
  /** Monotonic milliseconds. */
  reportedAt: number;
}

/** Creates an empty registry. `onEvent` receives events for the log, `onFailure` every failure. */
export function createBackgroundTasks(
  clock: Pick<Clock, "now" | "monotonicMs">,
  onEvent: (event: BackgroundTaskEvent) => void,
  onFailure: (task: string) => void = () => undefined,
): BackgroundTaskRegistry {
  const rows = new Map<string, Row>();
  const failed = (task: string, row: Row, { error, retryInMs }: { error: unknown; retryInMs: number | null }): void => {
    row.failureCount += 1;
    row.streakCount += 1;
    row.lastFailure = { at: clock.now(), reason: reasonOf(error), retryInMs };
    onFailure(task);
    const isFirst = row.streakCount === 1;
    if (!isFirst && clock.monotonicMs() - row.reportedAt < summaryMs) return;
    row.reportedAt = clock.monotonicMs();
    onEvent({ kind: isFirst ? "failed" : "still_failing", task, error, retryInMs, failureCount: row.streakCount });
  };
  const succeeded = (task: string, row: Row): void => {
    row.lastSuccessAt = clock.now();
    if (row.streakCount === 0) return;
    onEvent({ kind: "recovered", task, error: null, retryInMs: null, failureCount: row.streakCount });
    row.streakCount = 0;
  };
  return {
    register(task, options = {}) {
      const row: Row = { options, ...emptyRow };
      rows.set(task, row);
      return {
        succeeded: () => {
          succeeded(task, row);
        },
        failed: (error, retryInMs) => {
          failed(task, row, { error, retryInMs: retryInMs ?? null });
        },
        end: () => {
          if (rows.get(task) === row) rows.delete(task);
        },
      };
    },
    states: () =>
      [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([task, row]) => snapshotOf(task, row)),
  };
}

/** Registry that discards all reports, for tests and tools. */
export const unobservedTasks: BackgroundTasks = {
  register: () => ({ succeeded: () => undefined, failed: () => undefined, end: () => undefined }),
};

const emptyRow: Omit<Row, "options"> = {
  lastSuccessAt: null,
  lastFailure: null,
  failureCount: 0,
  streakCount: 0,
  reportedAt: 0,
};

function snapshotOf(task: string, { options, ...row }: Row): BackgroundTaskState {
  const isFailing = row.streakCount > 0;
  return {
    task,
    state: isFailing ? "failing" : row.lastSuccessAt === null ? "idle" : "ok",
    lastSuccessAt: row.lastSuccessAt,
    lastFailure: row.lastFailure,
    failureCount: row.failureCount,
    backlog: options.backlog?.() ?? null,
    oldestWaitingMs: options.oldestWaitingMs?.() ?? null,
    degrades: isFailing ? (options.degrades ?? null) : null,
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, reasonLengthMax);
  const code = "code" in error && typeof error.code === "string" ? `${error.code}: ` : "";
  return `${code}${error.message}`.slice(0, reasonLengthMax);
}
