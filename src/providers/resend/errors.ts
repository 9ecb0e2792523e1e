/** Errors of Resend's API: https://resend.com/docs/api-reference/errors and https://resend.com/docs/api-reference/rate-limit */
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";

/** Errors that the service responds with, by the names that the SDKs type. */
const rows = {
  application_error: [500, "An unexpected error occurred."],
  daily_quota_exceeded: [429, "You have reached your daily email sending quota."],
  invalid_api_key: [403, "API key is invalid."],
  invalid_attachment: [422, "Attachment must have either a `content` or `path`."],
  invalid_idempotency_key: [400, "The key must be between 1-256 chars."],
  invalid_idempotent_request: [409, "Same idempotency key used with a different request payload."],
  invalid_parameter: [422, "The parameter must be a valid UUID."],
  method_not_allowed: [405, "Method is not allowed for the requested path."],
  missing_api_key: [401, "Missing API key in the authorization header."],
  missing_required_field: [422, "The request body is missing one or more required fields."],
  not_found: [404, "The requested endpoint does not exist."],
  rate_limit_exceeded: [
    429,
    "Too many requests. Please limit the number of requests per second. Or contact support to increase rate limit.",
  ],
  restricted_api_key: [401, "This API key is restricted to only send emails."],
  validation_error: [422, "We found an error with one or more fields in the request."],
} as const;

/** Name of an error. */
export type ResendErrorName = keyof typeof rows;

/** Error as Resend responds with it. */
interface ResendError {
  readonly statusCode: number;
  readonly name: ResendErrorName;
  readonly message: string;
}

function errorOf(name: ResendErrorName, message: string = rows[name][1]): ResendError {
  return { statusCode: rows[name][0], name, message };
}

/** Returns the error with this name; `message` replaces the general one of the table. */
export function rejection(name: ResendErrorName, message?: string): Rejection {
  const error = errorOf(name, message);
  return new Rejection(error, (one) => jsonResponse(one.statusCode, one), error.message);
}

/** Returns a validation error of a field. */
export function invalid(message: string): Rejection {
  return rejection("validation_error", message);
}

/** Returns the error of an absent field. */
export function missing(field: string): Rejection {
  return rejection("missing_required_field", `Missing \`${field}\` field.`);
}

/** Statuses that Resend's table does not list, such as 413 and 415, keep their status. */
function ofStatus(statusCode: number, message: string): ResendError {
  return { statusCode, name: statusCode < 500 ? "validation_error" : "application_error", message };
}

const requestsPerSecond = 5;
const format = "The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.";

/** Returns the error of an invalid address. */
export function invalidAddress(field: string): Rejection {
  return invalid(`Invalid \`${field}\` field. ${format}`);
}

/** Error responses of Resend. */
export const resendErrors: ErrorResponses = errorResponses<ResendError>({
  shape: (error) => jsonResponse(error.statusCode, error),
  problems: {
    forbidden: errorOf("restricted_api_key"),
    not_found: errorOf("not_found"),
    method_not_allowed: errorOf("method_not_allowed"),
    limit_reached: errorOf("daily_quota_exceeded"),
  },
  ofProblem: ({ code }, { headers: { authorization } }) => {
    if (code !== "unauthenticated") return undefined;
    return errorOf(authorization === undefined ? "missing_api_key" : "invalid_api_key");
  },
  failure: rows.application_error[1],
  faults: {
    rateLimited: errorOf("rate_limit_exceeded"),
    internal: errorOf("application_error"),
    unauthorized: errorOf("invalid_api_key"),
    invalidRecipient: errorOf("validation_error", `Invalid \`to\` field. ${format}`),
    tooLarge: ofStatus(413, "Request Entity Too Large"),
  },
  statusOf: ({ statusCode }) => statusCode,
  ofStatus,
  limitHeaders: () => ({
    "ratelimit-limit": String(requestsPerSecond),
    "ratelimit-remaining": "0",
    "ratelimit-reset": String(retryAfterSeconds),
    "retry-after": String(retryAfterSeconds),
  }),
});
