/** Messages between a {@link Thread} and its worker module, and the form of errors in them. */
import type { MessagePort } from "node:worker_threads";
import { Problem, type ProblemCode, type ReachedLimit } from "../../core/errors.ts";

/** Message of a call to a thread. */
export interface CallRequest {
  readonly number: number;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

/** Returns the method that a call executes: calls of records name it in their parameters. */
export function methodOf({ name, parameters }: Omit<CallRequest, "number">): string {
  return name === "changeRecord" ? String(parameters[1]) : name;
}

/** Response to a {@link CallRequest}; a missing `result` means `undefined`, unless the call failed. */
export interface CallResponse {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: SerializedError;
}

/** Call that ends a thread after all earlier calls. */
export const closeCall = "close";

/** Executor of calls one by one. */
export interface CallServer {
  readonly call: (request: CallRequest) => unknown;
  /** Returns the buffers of a result that are transferred instead of copied; none by default. */
  readonly transfer?: (result: unknown) => readonly ArrayBuffer[];
  /** Called for {@link closeCall}, before the port is closed. */
  readonly close: () => unknown;
  readonly serialize?: (error: unknown) => SerializedError;
}

/** Executes the calls that arrive at a port, one after the other, until {@link closeCall}. */
export function serveCalls(
  port: MessagePort,
  { call, close, transfer = () => [], serialize = serializeError }: CallServer,
): void {
  const respond = async (request: CallRequest): Promise<void> => {
    const { number, name } = request;
    try {
      const result = await (name === closeCall ? close() : call(request));
      port.postMessage([{ number, result }], result === undefined ? [] : [...transfer(result)]);
    } catch (error) {
      port.postMessage([{ number, error: serialize(error) }]);
    }
    if (name === closeCall) port.close();
  };
  let previous = Promise.resolve();
  port.on("message", (request: CallRequest) => {
    previous = previous.then(() => respond(request));
  });
}

/** Error in a form that message ports preserve. `code` is null for internal errors. */
export interface SerializedError {
  readonly code: ProblemCode | null;
  readonly message: string;
  /** True when callers may see the message. */
  readonly isPublic: boolean;
  /** Whether pages of the database are damaged. */
  readonly isCorruption: boolean;
  readonly retryAfterSeconds: number | null;
  readonly limit: ReachedLimit | null;
  readonly stack: string | undefined;
}

/** Serialises an error for a message port, which would strip its class; `problem` is what the error means for callers. */
export function serializeError(error: unknown, problem: unknown = error, isCorruption = false): SerializedError {
  const message = error instanceof Error ? error.message : String(error);
  const stack = problem instanceof Error ? problem.stack : undefined;
  if (!(problem instanceof Problem)) {
    return { code: null, message, isPublic: false, isCorruption, retryAfterSeconds: null, limit: null, stack };
  }
  const { code, retryAfterSeconds, limit } = problem;
  return { code, message, isPublic: problem === error, isCorruption, retryAfterSeconds, limit, stack };
}

/** Restores an error from what {@link serializeError} returned. */
export function deserializeError(serialized: SerializedError): Error {
  const cause = new Error(serialized.message);
  if (serialized.stack !== undefined) cause.stack = serialized.stack;
  const { code, message, isPublic, retryAfterSeconds, limit } = serialized;
  if (code === null) return cause;
  return new Problem(code, {
    cause,
    limit,
    ...(isPublic && { text: message }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  });
}
