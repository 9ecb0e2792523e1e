/** Messages between the caller of a worker and the worker. */

/** Call. `number` matches it with its result. */
export interface WorkerCall<Request> {
  readonly number: number;
  readonly request: Request;
}

/** Message of a worker: `ready` once, then one message per call. */
export type WorkerMessage<Answer> =
  | { readonly kind: "ready" }
  | ({ readonly kind: "answered"; readonly answer: Answer } & WorkerResult)
  | ({ readonly kind: "threw"; readonly reason: string } & WorkerResult);

/** Members of every result. */
interface WorkerResult {
  readonly number: number;
  /** Whether the worker has so much memory after the call that it is replaced, unless the next call waits already. */
  readonly isSpent: boolean;
}
