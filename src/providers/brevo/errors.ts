/**
 * Errors of Brevo's API: https://developers.brevo.com/docs/error-codes, rate limits: https://developers.brevo.com/docs/api-limits
 * and https://developers.brevo.com/docs/limit-headers. Texts about single fields are taken from reports of users of its
 * libraries.
 */
import type { ProblemCode } from "../../core/errors.ts";
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";

interface BrevoError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

function shape({ status, code, message }: BrevoError): ProviderResponse {
  return jsonResponse(status, { code, message });
}

const unauthorized = { status: 401, code: "unauthorized", message: "Key not found" };
/** Errors for problems of the service. */
const byProblem: Partial<Readonly<Record<ProblemCode, BrevoError>>> = {
  unauthenticated: unauthorized,
  forbidden: { status: 403, code: "permission_denied", message: "Permission denied" },
  not_found: { status: 404, code: "document_not_found", message: "Document not found" },
  method_not_allowed: { status: 405, code: "method_not_allowed", message: "Method Not Allowed" },
  conflict: { status: 400, code: "duplicate_parameter", message: "Duplicate parameter" },
};

/** Codes of errors in requests, whose status is 400. */
type RequestError = "bad_request" | "duplicate_parameter" | "invalid_parameter" | "missing_parameter" | "out_of_range";

/** Returns an error in a request. */
export function rejection(code: RequestError, message: string): Rejection {
  return new Rejection({ status: 400, code, message }, shape, message);
}

/** Returns the error of an object that does not exist. */
export function notFound(message: string): Rejection {
  return new Rejection({ status: 404, code: "document_not_found", message }, shape, message);
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

const requestsPerSecond = 1000;

/** Error responses of Brevo. */
export const brevoErrors: ErrorResponses = errorResponses<BrevoError>({
  shape,
  ofProblem: ({ code, row, message }, { headers }) => {
    const isWithoutKey = code === "unauthenticated" && headers["api-key"] === undefined;
    if (isWithoutKey) return { ...unauthorized, message: "authentication not found in headers" };
    return byProblem[code] ?? ofStatus(row.status, message);
  },
  faults: {
    rateLimited: ofStatus(429, "Too many requests"),
    unauthorized,
    invalidRecipient: { status: 400, code: "invalid_parameter", message: "email is not valid in to" },
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
