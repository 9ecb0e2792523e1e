/** Errors of a provider's API that handlers throw, and problems of the service that they translate. */
import { Problem, type ProblemCode } from "../../core/errors.ts";
import type { ErrorContext, ProviderResponse } from "../provider.ts";

/** Error response that a handler throws; {@link file://./endpoints.ts} turns it into the response to the request. */
export class Rejection<Failure = unknown> extends Error {
  override readonly name = "Rejection";
  /** Error in the provider's own form, for responses that list the errors of the items of a batch. */
  readonly failure: Failure;
  /** Returns the error as a response to a request. */
  readonly respond: (request: ErrorContext) => ProviderResponse;

  constructor(failure: Failure, shape: (failure: Failure, request: ErrorContext) => ProviderResponse, message = "") {
    super(message);
    this.failure = failure;
    this.respond = (request) => shape(failure, request);
  }
}

/** Resolves as `value` does, or to the {@link Rejection} that it rejects with; rejects with all other errors. */
export async function settle<Value>(value: Promise<Value>): Promise<Value | Rejection> {
  return value.catch((error: unknown) => {
    if (error instanceof Rejection) return error;
    throw error;
  });
}

/**
 * Resolves as `value` does; for a problem with the code, or one of the codes, resolves to what `otherwise` returns, or rejects with an error that it
 * returns or throws.
 */
export async function onProblem<Value, Other = never>(
  codes: ProblemCode | readonly ProblemCode[],
  value: Promise<Value>,
  otherwise: (problem: Problem) => Other,
): Promise<Value | Exclude<Other, Error>> {
  return value.catch((error: unknown) => {
    if (!(error instanceof Problem) || ![codes].flat().includes(error.code)) throw error;
    const result = otherwise(error);
    if (result instanceof Error) throw result;
    return result as Exclude<Other, Error>;
  });
}

/** Returns the description of the first invalid field of a problem, else its text. */
export function detailOf({ fields, message }: Problem): string {
  return fields[0]?.description ?? message;
}
