import type { Principal } from "../../../core/api-key.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";

/** Presence of the caller of an operation. */
export interface CallerPresence {
  /** Aborts when the caller disconnects; work of theirs that waits for a worker thread is then dropped. */
  readonly gone?: AbortSignal;
}

/** Returns for whom worker threads execute calls of an operation. */
export function callerOf({ keyId: key }: Principal, { gone }: CallerPresence): WorkerCaller {
  return gone === undefined ? { key } : { key, signal: gone };
}
