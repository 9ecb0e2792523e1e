/** Messages between the caller of a worker and the worker. */

/** Call. `number` matches it with its result. */
export interface WorkerCall<Request> {
  readonly number: number;
  readonly request: Request;
}

/** Message of a worker: `ready` once, then one message per call. */
export type WorkerMessage<Answer> =
  | { readonly kind: "ready" }
  | { readonly kind: "answered"; readonly number: number; readonly answer: Answer }
  | { readonly kind: "threw"; readonly number: number; readonly reason: string };
