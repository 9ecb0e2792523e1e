import { randomUUID } from "node:crypto";
import { Problem } from "../core/errors.ts";
import { jsonType, type Answer, type AnswerHeaders } from "./answer.ts";
import { toWireError } from "./wire/error-json.ts";

/** A refusal whose answer carries header fields beyond those that every problem of its kind has. */
export class Refusal extends Problem {
  readonly headers: AnswerHeaders;

  constructor(problem: Problem, headers: AnswerHeaders) {
    super(problem.code, { text: problem.message, fields: problem.fields, cause: problem.cause });
    this.headers = headers;
  }
}

/** A fault as the operator's log sees it; `id` is what the caller was told. */
export interface Fault {
  readonly id: string;
  readonly error: unknown;
}

/** The answer to something thrown, and the fault to be logged when it was ours or the machine's. */
export interface ErrorResponse {
  readonly answer: Answer;
  readonly fault: Fault | null;
}

/**
 * Turns whatever was thrown into an answer. Problems are shown as the catalogue has them; anything else is `internal` and
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
  return { answer: { status, headers: headersOf(problem, fault, challenge), body }, fault };
}

function headersOf(problem: Problem, fault: Fault | null, challenge: string): AnswerHeaders {
  const { retryAfterSeconds } = problem;
  return {
    "content-type": jsonType,
    ...(problem.code === "unauthenticated" && { "www-authenticate": challenge }),
    ...(retryAfterSeconds !== null && { "retry-after": String(retryAfterSeconds) }),
    ...(fault !== null && { "x-request-id": fault.id }),
    ...(problem instanceof Refusal && problem.headers),
  };
}
