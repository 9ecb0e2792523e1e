import { randomUUID } from "node:crypto";
import { Problem } from "../core/errors.ts";
import { jsonType, type HttpResponse, type HttpResponseHeaders } from "./http-response.ts";
import { toWireError } from "./wire/error-json.ts";

/** A refusal whose response carries header fields beyond those that every problem of its kind has. */
export class ProblemWithHeaders extends Problem {
  readonly headers: HttpResponseHeaders;

  constructor(problem: Problem, headers: HttpResponseHeaders) {
    super(problem.code, { text: problem.message, fields: problem.fields, cause: problem.cause });
    this.headers = headers;
  }
}

/** A fault as the operator's log sees it; `id` is what the caller was told. */
export interface LoggedError {
  readonly id: string;
  readonly error: unknown;
}

/** The response to something thrown, and the fault to be logged when it was ours or the machine's. */
export interface ErrorResponse {
  readonly response: HttpResponse;
  readonly fault: LoggedError | null;
}

/**
 * Turns whatever was thrown into a response. Problems are shown as the catalogue has them; anything else is `internal` and
 * shows nothing of itself. `challenge` is the WWW-Authenticate value of a 401. Every 5xx carries an id in `X-Request-Id` that the log repeats.
 */
export function toErrorResponse(error: unknown, challenge = 'Basic realm="restante"'): ErrorResponse {
  const problem = error instanceof Problem ? error : new Problem("internal", { cause: error });
  const { status } = problem.row;
  const fault =
    status >= 500
      ? { id: randomUUID(), error: problem.code === "internal" ? (problem.cause ?? problem) : problem }
      : null;
  const body = [Buffer.from(JSON.stringify(toWireError(problem)), "utf8")];
  return { response: { status, headers: headersOf(problem, fault, challenge), body }, fault };
}

function headersOf(problem: Problem, fault: LoggedError | null, challenge: string): HttpResponseHeaders {
  const { retryAfterSeconds } = problem;
  return {
    "content-type": jsonType,
    ...(problem.code === "unauthenticated" && { "www-authenticate": challenge }),
    ...(retryAfterSeconds !== null && { "retry-after": String(retryAfterSeconds) }),
    ...(fault !== null && { "x-request-id": fault.id }),
    ...(problem instanceof ProblemWithHeaders && problem.headers),
  };
}
