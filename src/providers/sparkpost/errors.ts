/**
 * Errors of SparkPost's API: `{"errors":[{"message", "description", "code"}]}`, with the codes of
 * https://support.sparkpost.com/docs/tech-resources/extended-error-codes.
 */
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";

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

/** Error as the API responds with it, its members in this order. */
interface SparkPostError {
  readonly status: number;
  readonly message: string;
  readonly description?: string | undefined;
  readonly code?: string;
}

function shape({ status, ...error }: SparkPostError): ProviderResponse {
  return jsonResponse(status, { errors: [error] });
}

function ofRow(name: keyof typeof rows, description?: string): SparkPostError {
  const [status, code, message] = rows[name];
  return { status, message, description, code };
}

const descriptionLengthMax = 500;

/** Returns the error with this name. */
export function rejection(name: keyof typeof rows, description: string): Rejection {
  return new Rejection(ofRow(name, description.slice(0, descriptionLengthMax)), shape);
}

/** Returns the error of a target that does not accept a test. */
export function targetFailed(description: string): Rejection {
  return new Rejection({ status: 400, message: "Test POST to endpoint failed", description }, shape);
}

const unauthorized = { status: 401, message: "Unauthorized." };

/** Error responses of the API. */
export const sparkPostErrors: ErrorResponses = errorResponses<SparkPostError>({
  shape,
  problems: {
    unauthenticated: unauthorized,
    forbidden: { status: 403, message: "Forbidden." },
    not_found: ofRow("invalidUri"),
    method_not_allowed: ofRow("invalidMethod"),
    limit_reached: ofRow("sendingLimit"),
  },
  faults: {
    rateLimited: { status: 429, message: "Too many requests" },
    unauthorized,
    invalidRecipient: ofRow("noRecipients"),
  },
  ofStatus: (status, message) => ({ status, message }),
  statusOf: ({ status }) => status,
  limitHeaders: () => ({ "retry-after": String(retryAfterSeconds) }),
});
