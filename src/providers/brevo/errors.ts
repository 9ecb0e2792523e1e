/**
 * Errors of Brevo's API: https://developers.brevo.com/docs/error-codes, rate limits: https://developers.brevo.com/docs/api-limits
 * and https://developers.brevo.com/docs/limit-headers. Texts about single fields are taken from reports of users of its
 * libraries.
 */
import type { ProblemCode } from "../../core/errors.ts";
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";

/** Errors that the service responds with: status and general text by code. */
const rows = {
  bad_request: [400, "Bad request"],
  document_not_found: [404, "Document not found"],
  duplicate_parameter: [400, "Duplicate parameter"],
  invalid_parameter: [400, "Invalid parameter"],
  method_not_allowed: [405, "Method Not Allowed"],
  missing_parameter: [400, "Missing parameter"],
  out_of_range: [400, "Out of range"],
  permission_denied: [403, "Permission denied"],
  too_many_requests: [429, "Too many requests"],
  unauthorized: [401, "Key not found"],
} as const;

type BrevoErrorCode = keyof typeof rows;

interface BrevoError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

function shape({ status, code, message }: BrevoError): ProviderResponse {
  return jsonResponse(status, { code, message });
}

function errorOf(code: BrevoErrorCode, message: string = rows[code][1]): BrevoError {
  return { status: rows[code][0], code, message };
}

/** Returns an error. */
export function rejection(code: BrevoErrorCode, message: string): Rejection {
  return new Rejection(errorOf(code, message), shape, message);
}

/** Returns the error of a field without a value. */
export function missing(field: string): Rejection {
  return rejection("missing_parameter", `${field} is missing`);
}

/** Returns the error of a field with a wrong value. */
export function invalid(message: string): Rejection {
  return rejection("invalid_parameter", message);
}

/** Statuses that Brevo's table does not list, such as 413 and 415, keep their status. */
function ofStatus(status: number, message: string): BrevoError {
  const code = status === 429 ? "too_many_requests" : status < 500 ? "bad_request" : "internal_error";
  return { status, code, message };
}

const byProblem: Partial<Record<ProblemCode, BrevoErrorCode>> = {
  unauthenticated: "unauthorized",
  forbidden: "permission_denied",
  not_found: "document_not_found",
  method_not_allowed: "method_not_allowed",
  conflict: "duplicate_parameter",
};

const requestsPerSecond = 1000;

/** Error responses of Brevo. */
export const brevoErrors: ErrorResponses = errorResponses<BrevoError>({
  shape,
  ofProblem: ({ code, row, message }, { headers }) => {
    const { [code]: name } = byProblem;
    if (name === undefined) return ofStatus(row.status, message);
    const isWithoutKey = name === "unauthorized" && headers["api-key"] === undefined;
    return errorOf(name, isWithoutKey ? "authentication not found in headers" : undefined);
  },
  faults: {
    rateLimited: errorOf("too_many_requests"),
    unauthorized: errorOf("unauthorized"),
    invalidRecipient: errorOf("invalid_parameter", "email is not valid in to"),
    tooLarge: ofStatus(413, "Request Entity Too Large"),
  },
  statusOf: ({ status }) => status,
  ofStatus,
  limitHeaders: () => ({
    "x-sib-ratelimit-limit": String(requestsPerSecond),
    "x-sib-ratelimit-remaining": "0",
    "x-sib-ratelimit-reset": String(retryAfterSeconds),
  }),
});
