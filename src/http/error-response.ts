import { randomUUID } from "node:crypto";
import { Problem } from "../core/errors.ts";
import { jsonType, type HttpResponse, type HttpResponseHeaders } from "./http-response.ts";
import { toWireError } from "./wire/error-schema.ts";

/** Problem whose response has more header fields than others of its code. */
export class ProblemWithHeaders extends Problem {
  readonly headers: HttpResponseHeaders;

  constructor(problem: Problem, headers: HttpResponseHeaders) {
    super(problem.code, { text: problem.message, fields: problem.fields, cause: problem.cause });
    this.headers = headers;
  }
}

/** Failure of the service whose response has a body of its own. */
export class FailureWithBody extends Error {
  readonly response: Pick<HttpResponse, "headers" | "body">;

  constructor(cause: unknown, response: FailureWithBody["response"]) {
    super("the service failed", { cause });
    this.response = response;
  }
}

/** Error as the operator's log shows it; `id` is the one that the client received. */
export interface LoggedError {
  readonly id: string;
  readonly error: unknown;
}

/** Response to a thrown error, and what is to be logged when the service or the machine caused it. */
export interface ErrorResponse {
  readonly response: HttpResponse;
  readonly logged: LoggedError | null;
}

/**
 * Turns anything that was thrown into a response. Problems are shown as the catalogue describes them; anything else is
 * `internal` and reveals nothing. `challenge` is the WWW-Authenticate value of a 401. Every 5xx has an id in
 * `X-Request-Id`, which the log repeats.
 */
export function toErrorResponse(error: unknown, challenge = 'Basic realm="restante"'): ErrorResponse {
  if (error instanceof FailureWithBody) {
    const { response, logged } = toErrorResponse(error.cause, challenge);
    const headers = { ...response.headers, ...error.response.headers };
    return { response: { ...response, headers, body: error.response.body }, logged };
  }
  const problem = error instanceof Problem ? error : new Problem("internal", { cause: error });
  const { status } = problem.row;
  const logged =
    status >= 500
      ? { id: randomUUID(), error: problem.code === "internal" ? (problem.cause ?? problem) : problem }
      : null;
  const body = [Buffer.from(JSON.stringify(toWireError(problem)), "utf8")];
  return { response: { status, headers: headersOf(problem, logged, challenge), body }, logged };
}

function headersOf(problem: Problem, logged: LoggedError | null, challenge: string): HttpResponseHeaders {
  const { retryAfterSeconds } = problem;
  return {
    "content-type": jsonType,
    ...(problem.code === "unauthenticated" && { "www-authenticate": challenge }),
    ...(retryAfterSeconds !== null && { "retry-after": String(retryAfterSeconds) }),
    ...(logged !== null && { "x-request-id": logged.id }),
    ...(problem instanceof ProblemWithHeaders && problem.headers),
  };
}
