/** Errors of fault rules as Brevo responds with them; rate limits: https://developers.brevo.com/docs/api-limits and https://developers.brevo.com/docs/limit-headers */
import type { FaultError } from "../../core/fault.ts";
import { reasonOf, retryAfterSeconds } from "../fault-texts.ts";
import { jsonResponse, type ProviderFault, type ProviderResponse } from "../provider.ts";

interface ErrorRow {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const rows: Readonly<Record<FaultError, ErrorRow>> = {
  rateLimited: { status: 429, code: "too_many_requests", message: "Too many requests" },
  unavailable: { status: 503, code: "internal_error", message: "Service Unavailable" },
  internal: { status: 500, code: "internal_error", message: "Internal Server Error" },
  unauthorized: { status: 401, code: "unauthorized", message: "Key not found" },
  invalidRecipient: { status: 400, code: "invalid_parameter", message: "email is not valid in to" },
  tooLarge: { status: 413, code: "bad_request", message: "Request Entity Too Large" },
  timeout: { status: 504, code: "internal_error", message: "Gateway Timeout" },
};

const requestsPerSecond = 1000;

/** Returns the response to an error of a fault rule. */
export function brevoFault(fault: ProviderFault): ProviderResponse {
  const { status, code, message } = typeof fault === "string" ? rows[fault] : rowOf(fault.status);
  const response = jsonResponse(status, { code, message });
  return status === 429 ? { ...response, headers: limitHeaders } : response;
}

function rowOf(status: number): ErrorRow {
  const known = Object.values(rows).find((row) => row.status === status);
  return known ?? { status, code: status < 500 ? "bad_request" : "internal_error", message: reasonOf(status) };
}

const limitHeaders = {
  "x-sib-ratelimit-limit": String(requestsPerSecond),
  "x-sib-ratelimit-remaining": "0",
  "x-sib-ratelimit-reset": String(retryAfterSeconds),
} as const;
