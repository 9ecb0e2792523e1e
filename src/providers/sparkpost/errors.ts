/**
 * Errors of SparkPost's API: `{"errors":[{"message", "description", "code"}]}`, with the codes of
 * https://support.sparkpost.com/docs/tech-resources/extended-error-codes.
 */
import type { Problem, ProblemCode } from "../../core/errors.ts";
import { errorResponses, reasonOf, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { failureText, jsonResponse, type ProviderResponse } from "../provider.ts";

/** Errors by name: status, code and message. */
const rows = {
  invalidUri: [404, "1101", "invalid URI"],
  invalidMethod: [405, "1102", "invalid HTTP method"],
  invalidFormat: [422, "1300", "invalid data format/type"],
  missing: [422, "1400", "required field is missing"],
  notFound: [404, "1600", "resource not found"],
  notFoundInside: [422, "1603", "Subresource not found"],
  tooLate: [409, "2003", "Too close to generation time to delete"],
  noDraft: [422, "2004", "No draft version of template exists"],
  notPublished: [422, "2005", "No published version of template exists"],
  sendingLimit: [420, "2102", "Exceed Sending Limit (daily)"],
  syntax: [422, "3000", "substitution language syntax error in template content"],
  templateExists: [400, "3030", "template already exists"],
  noRecipients: [400, "5002", "at least one valid recipient is required"],
} as const;

/** Error as the API responds with it; null for absent members. */
interface SparkPostError {
  readonly status: number;
  readonly message: string;
  readonly description: string | null;
  readonly code: string | null;
}

function shape({ status, message, description, code }: SparkPostError): ProviderResponse {
  const error = { message, ...(description !== null && { description }), ...(code !== null && { code }) };
  return jsonResponse(status, { errors: [error] });
}

const descriptionLengthMax = 500;

/** Returns the error with this name. */
export function rejection(name: keyof typeof rows, description: string): Rejection {
  const [status, code, message] = rows[name];
  return new Rejection({ status, code, message, description: description.slice(0, descriptionLengthMax) }, shape);
}

/** Returns the error of a target that does not accept a test. */
export function targetFailed(description: string): Rejection {
  return new Rejection({ ...withoutCode(400, "Test POST to endpoint failed"), description }, shape);
}

function withoutCode(status: number, message: string): SparkPostError {
  return { status, message, description: null, code: null };
}

function ofRow(name: keyof typeof rows): SparkPostError {
  const [status, code, message] = rows[name];
  return { status, code, message, description: null };
}

const problems: Partial<Record<ProblemCode, SparkPostError>> = {
  unauthenticated: withoutCode(401, "Unauthorized."),
  forbidden: withoutCode(403, "Forbidden."),
  not_found: ofRow("invalidUri"),
  method_not_allowed: ofRow("invalidMethod"),
  limit_reached: ofRow("sendingLimit"),
};

function ofProblem(problem: Problem): SparkPostError {
  const { code, row, message } = problem;
  const text = row.status === 429 ? "Too many requests" : row.status < 500 ? message : undefined;
  return problems[code] ?? withoutCode(row.status, text ?? failureText(problem, reasonOf(row.status)));
}

/** Error responses of the API. */
export const sparkPostErrors: ErrorResponses = errorResponses<SparkPostError>({
  shape,
  ofProblem,
  faults: {
    rateLimited: withoutCode(429, "Too many requests"),
    unauthorized: withoutCode(401, "Unauthorized."),
    invalidRecipient: ofRow("noRecipients"),
  },
  ofStatus: withoutCode,
  statusOf: ({ status }) => status,
  limitHeaders: () => ({ "retry-after": String(retryAfterSeconds) }),
});
