/** Errors of fault rules as Resend responds with them; header fields and default of rate limits: https://resend.com/docs/api-reference/rate-limit */
import type { FaultError } from "../../core/fault.ts";
import { reasonOf, retryAfterSeconds } from "../fault-texts.ts";
import type { ProviderFault, ProviderResponse } from "../provider.ts";
import { invalidResendField, resendError, toResponse, type ResendError } from "./errors.ts";

const rows: Readonly<Record<FaultError, ResendError>> = {
  rateLimited: resendError("rate_limit_exceeded"),
  unavailable: { statusCode: 503, name: "application_error", message: "Service Unavailable" },
  internal: resendError("application_error"),
  unauthorized: resendError("invalid_api_key"),
  invalidRecipient: invalidResendField(
    "Invalid `to` field. The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.",
  ),
  tooLarge: { statusCode: 413, name: "validation_error", message: "Request Entity Too Large" },
  timeout: { statusCode: 504, name: "application_error", message: "Gateway Timeout" },
};

const requestsPerSecond = 5;

/** Returns the response to an error of a fault rule. */
export function resendFault(fault: ProviderFault): ProviderResponse {
  const error = typeof fault === "string" ? rows[fault] : errorOf(fault.status);
  const response = toResponse(error);
  return error.statusCode === 429 ? { ...response, headers: limitHeaders } : response;
}

function errorOf(status: number): ResendError {
  const known = Object.values(rows).find(({ statusCode }) => statusCode === status);
  const name = status < 500 ? "validation_error" : "application_error";
  return known ?? { statusCode: status, name, message: reasonOf(status) };
}

const limitHeaders = {
  "ratelimit-limit": String(requestsPerSecond),
  "ratelimit-remaining": "0",
  "ratelimit-reset": String(retryAfterSeconds),
  "retry-after": String(retryAfterSeconds),
} as const;
