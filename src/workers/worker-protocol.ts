/** Messages between a caller of a worker thread and the thread. */

/** One call. `number` pairs it with its answer. */
export interface WorkerCall<Request> {
  readonly number: number;
  readonly request: Request;
}

/** What a worker thread posts: once `ready`, then one message for each call. */
export type WorkerMessage<Answer> =
  | { readonly kind: "ready" }
  | { readonly kind: "answered"; readonly number: number; readonly answer: Answer }
  | { readonly kind: "threw"; readonly number: number; readonly reason: string };
