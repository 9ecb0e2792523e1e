import type { Principal } from "../../../core/api-key.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";

/** Presence of the caller of an operation. */
export interface CallerPresence {
  /** Aborts when the caller disconnects; its waiting worker calls are then dropped. */
  readonly gone?: AbortSignal;
}

/** Returns the worker caller of an operation. */
export function callerOf({ keyId: key }: Principal, { gone }: CallerPresence): WorkerCaller {
  return gone === undefined ? { key } : { key, signal: gone };
}
