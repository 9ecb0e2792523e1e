/**
 * Errors of Brevo's API: https://developers.brevo.com/docs/error-codes, rate limits: https://developers.brevo.com/docs/api-limits
 * and https://developers.brevo.com/docs/limit-headers. Texts about single fields are taken from reports of users of its
 * libraries.
 */
import type { Problem, ProblemCode } from "../../core/errors.ts";
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Statuses by code. */
const statuses = {
  bad_request: 400,
  document_not_found: 404,
  duplicate_parameter: 400,
  invalid_parameter: 400,
  method_not_allowed: 405,
  missing_parameter: 400,
  out_of_range: 400,
  permission_denied: 403,
} as const;

/** Error codes that the service responds with. */
export type BrevoErrorCode = keyof typeof statuses;

interface BrevoError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

function shape({ status, code, message }: BrevoError): ProviderResponse {
  return jsonResponse(status, { code, message });
}

/** Returns an error. */
export function rejection(code: BrevoErrorCode, message: string): Rejection {
  return new Rejection({ status: statuses[code], code, message }, shape, message);
}

/** Returns the error of a field without a value. */
export function missing(field: string): Rejection {
  return rejection("missing_parameter", `${field} is missing`);
}

/** Returns the error of a field with a wrong value. */
export function invalid(message: string): Rejection {
  return rejection("invalid_parameter", message);
}

const byProblem: Partial<Record<ProblemCode, readonly [BrevoErrorCode, string]>> = {
  forbidden: ["permission_denied", "Permission denied"],
  not_found: ["document_not_found", "Document not found"],
  method_not_allowed: ["method_not_allowed", "Method Not Allowed"],
  conflict: ["duplicate_parameter", "Duplicate parameter"],
};

function errorOfProblem({ code, row: { status }, message }: Problem, { headers }: ErrorContext): BrevoError {
  if (code === "unauthenticated") {
    const text = headers["api-key"] === undefined ? "authentication not found in headers" : "Key not found";
    return { status, code: "unauthorized", message: text };
  }
  const [name, text = ""] = byProblem[code] ?? [];
  if (name !== undefined) return { status: statuses[name], code: name, message: text };
  return { status, code: codeOf(status), message };
}

/** Statuses that Brevo's table does not list, such as 413 and 415, keep their status. */
function codeOf(status: number): string {
  if (status === 429) return "too_many_requests";
  return status < 500 ? "bad_request" : "internal_error";
}

const requestsPerSecond = 1000;

/** Error responses of Brevo. */
export const brevoErrors: ErrorResponses = errorResponses<BrevoError>({
  shape,
  ofProblem: errorOfProblem,
  faults: {
    rateLimited: { status: 429, code: "too_many_requests", message: "Too many requests" },
    unauthorized: { status: 401, code: "unauthorized", message: "Key not found" },
    invalidRecipient: { status: 400, code: "invalid_parameter", message: "email is not valid in to" },
    tooLarge: { status: 413, code: "bad_request", message: "Request Entity Too Large" },
  },
  statusOf: ({ status }) => status,
  ofStatus: (status, message) => ({ status, code: codeOf(status), message }),
  limitHeaders: () => ({
    "x-sib-ratelimit-limit": String(requestsPerSecond),
    "x-sib-ratelimit-remaining": "0",
    "x-sib-ratelimit-reset": String(retryAfterSeconds),
  }),
});
