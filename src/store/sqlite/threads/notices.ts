/** One-way messages of worker threads to the thread that started them. */
import type { SerializedError } from "../../threads/serialized-error.ts";
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

/** Creates the notice of a failed round. */
export function failedRound(task: WorkerTask, error: unknown, retryInMs: number): Notice {
  return { kind: "round", task, error: serializeSqliteError(error), retryInMs };
}

/** Creates the notice of a successful round. */
export function succeededRound(task: WorkerTask): Notice {
  return { kind: "round", task, error: null, retryInMs: null };
}
