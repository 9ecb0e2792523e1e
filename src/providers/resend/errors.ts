/** Errors of Resend's API: https://resend.com/docs/api-reference/errors */
import type { Problem, ProblemCode } from "../../core/errors.ts";
import { failureText, jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Names of the errors that the service responds with, as the SDKs type them. */
export type ResendErrorName =
  | "application_error"
  | "concurrent_idempotent_requests"
  | "invalid_api_key"
  | "invalid_attachment"
  | "invalid_idempotency_key"
  | "invalid_idempotent_request"
  | "invalid_parameter"
  | "method_not_allowed"
  | "missing_api_key"
  | "missing_required_field"
  | "not_found"
  | "rate_limit_exceeded"
  | "restricted_api_key"
  | "daily_quota_exceeded"
  | "validation_error";

interface ErrorRow {
  readonly status: number;
  readonly message: string;
}

const rows: Readonly<Record<ResendErrorName, ErrorRow>> = {
  application_error: { status: 500, message: "An unexpected error occurred." },
  concurrent_idempotent_requests: {
    status: 409,
    message: "Same idempotency key used while original request is still in progress.",
  },
  daily_quota_exceeded: { status: 429, message: "You have reached your daily email sending quota." },
  invalid_api_key: { status: 403, message: "API key is invalid." },
  invalid_attachment: { status: 422, message: "Attachment must have either a `content` or `path`." },
  invalid_idempotency_key: { status: 400, message: "The key must be between 1-256 chars." },
  invalid_idempotent_request: {
    status: 409,
    message: "Same idempotency key used with a different request payload.",
  },
  invalid_parameter: { status: 422, message: "The parameter must be a valid UUID." },
  method_not_allowed: { status: 405, message: "Method is not allowed for the requested path." },
  missing_api_key: { status: 401, message: "Missing API key in the authorization header." },
  missing_required_field: {
    status: 422,
    message: "The request body is missing one or more required fields.",
  },
  not_found: { status: 404, message: "The requested endpoint does not exist." },
  rate_limit_exceeded: {
    status: 429,
    message:
      "Too many requests. Please limit the number of requests per second. Or contact support to increase rate limit.",
  },
  restricted_api_key: { status: 401, message: "This API key is restricted to only send emails." },
  validation_error: { status: 422, message: "We found an error with one or more fields in the request." },
};

/** Error as Resend responds with it. */
export interface ResendError {
  readonly statusCode: number;
  readonly name: ResendErrorName;
  readonly message: string;
}

/** Returns the error with this name; `message` replaces the general one of the table. */
export function resendError(name: ResendErrorName, message: string = rows[name].message): ResendError {
  return { statusCode: rows[name].status, name, message };
}

/** Returns a validation error of a field. */
export function invalidResendField(message: string): ResendError {
  return resendError("validation_error", message);
}

/** Error that a request is answered with; `read` functions throw it. */
export class ResendRejection extends Error {
  override readonly name = "ResendRejection";
  readonly error: ResendError;

  constructor(error: ResendError) {
    super(error.message);
    this.error = error;
  }
}

/** Returns an error as a response. */
export function toResponse(error: ResendError): ProviderResponse {
  return jsonResponse(error.statusCode, error);
}

/** Returns the response of an endpoint, or the error of a {@link ResendRejection} that it threw. */
export async function answered(respond: () => Promise<ProviderResponse>): Promise<ProviderResponse> {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof ResendRejection) return toResponse(error.error);
    throw error;
  }
}

const namesByCode: Partial<Record<ProblemCode, ResendErrorName>> = {
  forbidden: "restricted_api_key",
  not_found: "not_found",
  method_not_allowed: "method_not_allowed",
  limit_reached: "daily_quota_exceeded",
};

/** Returns Resend's error for a problem of the service. */
export function resendErrorResponse(problem: Problem, { headers }: ErrorContext): ProviderResponse {
  const { code, row, message } = problem;
  if (code === "unauthenticated") {
    return toResponse(resendError(headers.authorization === undefined ? "missing_api_key" : "invalid_api_key"));
  }
  const name = namesByCode[code];
  if (name !== undefined) return toResponse(resendError(name));
  if (row.status === 429) return toResponse(resendError("rate_limit_exceeded"));
  if (row.status >= 500) {
    const text = failureText(problem, rows.application_error.message);
    return toResponse({ ...resendError("application_error", text), statusCode: row.status });
  }
  // Statuses that Resend's table does not list, such as 413 and 415, keep their status.
  return toResponse({ statusCode: row.status, name: "validation_error", message });
}
