/** What worker threads tell the thread that started them beside answers, and who receives it. */
import type { BackgroundTask } from "../../../core/background-tasks.ts";
import { fromFault, toFault } from "../connection/errors.ts";
import type { Fault } from "../connection/errors.ts";

/**
 * One-way message of a worker.
 * - `damage`: a read met a row that has changed on the medium.
 * - `round`: a background task of the worker ended a round; `fault` is null where it ended well.
 * - `storage`: the medium became full, or has space again.
 */
export type Notice =
  | { readonly kind: "damage"; readonly fault: Fault }
  | {
      readonly kind: "round";
      readonly task: WorkerTask;
      readonly fault: Fault | null;
      readonly retryInMs: number | null;
    }
  | { readonly kind: "storage"; readonly isFull: boolean };

/** Background task that runs in a worker. */
export type WorkerTask = "purge" | "upkeep";

/** Sends a notice from a worker. */
export type Notify = (notice: Notice) => void;

/** Receivers of {@link receiveNotice}. */
export interface NoticeReceivers {
  /** Reporter of damage that reads meet. */
  readonly damage: BackgroundTask;
  readonly rounds: Readonly<Record<WorkerTask, BackgroundTask>>;
  readonly onStorage: (isFull: boolean) => void;
}

/** Prepares the report of a failed round. */
export function failedRound(task: WorkerTask, error: unknown, retryInMs: number): Notice {
  return { kind: "round", task, fault: toFault(error), retryInMs };
}

/** Prepares the report of a round that ended well. */
export function goodRound(task: WorkerTask): Notice {
  return { kind: "round", task, fault: null, retryInMs: null };
}

/** Passes a notice on to the registry of background tasks. */
export function receiveNotice(notice: Notice, { damage, rounds, onStorage }: NoticeReceivers): void {
  if (notice.kind === "damage") {
    damage.failed(causeOf(notice.fault));
  } else if (notice.kind === "storage") {
    onStorage(notice.isFull);
  } else if (notice.fault === null) {
    rounds[notice.task].succeeded();
  } else {
    rounds[notice.task].failed(causeOf(notice.fault), notice.retryInMs ?? undefined);
  }
}

/** The registry wants what went wrong, not what callers may know of it. */
function causeOf(fault: Fault): unknown {
  const error = fromFault(fault);
  return error.cause ?? error;
}
