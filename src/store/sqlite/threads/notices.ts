/** One-way messages of worker threads to the thread that started them, and their receivers. */
import type { BackgroundTask } from "../../../core/background-tasks.ts";
import { deserializeError, type SerializedError } from "../../threads/serialized-error.ts";
import { serializeSqliteError } from "../connection/errors.ts";

/**
 * One-way message of a worker.
 * - `damage`: a read found a row that has changed on the disk.
 * - `round`: a background task of the worker finished a round; `error` is null when it succeeded.
 * - `storage`: the disk became full, or has space again.
 * - `files`: a file of the store lost its name, or all have their names again, with null.
 */
export type Notice =
  | { readonly kind: "damage"; readonly error: SerializedError }
  | {
      readonly kind: "round";
      readonly task: WorkerTask;
      readonly error: SerializedError | null;
      readonly retryInMs: number | null;
    }
  | { readonly kind: "storage"; readonly isFull: boolean }
  | { readonly kind: "files"; readonly lost: string | null };

/** Background task that runs in a worker thread. */
export type WorkerTask = "purge" | "upkeep";

/** Sends a notice from a worker thread. */
export type Notify = (notice: Notice) => void;

/** Receivers of {@link receiveNotice}. */
export interface NoticeReceivers {
  /** Reporter of damage that reads find. */
  readonly damage: BackgroundTask;
  readonly rounds: Readonly<Record<WorkerTask, BackgroundTask>>;
  readonly onStorage: (isFull: boolean) => void;
  readonly onFiles: (lost: string | null) => void;
  /** Called when a background task failed because pages of the database are damaged. */
  readonly onCorruption: (error: unknown) => void;
}

/** Creates the notice of a failed round. */
export function failedRound(task: WorkerTask, error: unknown, retryInMs: number): Notice {
  return { kind: "round", task, error: serializeSqliteError(error), retryInMs };
}

/** Creates the notice of a successful round. */
export function succeededRound(task: WorkerTask): Notice {
  return { kind: "round", task, error: null, retryInMs: null };
}

/** Forwards a notice to the registry of background tasks. */
export function receiveNotice(notice: Notice, receivers: NoticeReceivers): void {
  const { damage, rounds, onStorage, onFiles, onCorruption } = receivers;
  if (notice.kind === "damage") {
    damage.failed(causeOf(notice.error));
  } else if (notice.kind === "storage") {
    onStorage(notice.isFull);
  } else if (notice.kind === "files") {
    onFiles(notice.lost);
  } else if (notice.error === null) {
    rounds[notice.task].succeeded();
  } else {
    if (notice.error.isCorruption) onCorruption(causeOf(notice.error));
    rounds[notice.task].failed(causeOf(notice.error), notice.retryInMs ?? undefined);
  }
}

/** Returns the underlying error for the registry, instead of the one that callers may see. */
function causeOf(serialized: SerializedError): unknown {
  const error = deserializeError(serialized);
  return error.cause ?? error;
}
