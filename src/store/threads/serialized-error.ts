import { Problem, type ProblemCode, type ReachedLimit } from "../../core/errors.ts";

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
