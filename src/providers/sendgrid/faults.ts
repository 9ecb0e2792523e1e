/**
 * Errors of fault rules as SendGrid responds with them. Rate limits:
 * https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits
 */
import type { FaultError } from "../../core/fault.ts";
import { reasonOf } from "../fault-texts.ts";
import type { FaultContext, ProviderFault, ProviderResponse } from "../provider.ts";
import { errorsResponse, sendGridError } from "./errors.ts";

const rows: Readonly<Record<Exclude<FaultError, "invalidRecipient">, readonly [status: number, message: string]>> = {
  rateLimited: [429, "too many requests"],
  unavailable: [503, "service unavailable"],
  internal: [500, "internal server error"],
  unauthorized: [401, "The provided authorization grant is invalid, expired, or revoked"],
  tooLarge: [413, "content too large"],
  timeout: [504, "gateway timeout"],
};

const requestsPerMinute = 600;

/** Returns the response to an error of a fault rule. */
export function sendGridFault(fault: ProviderFault, { now }: FaultContext): ProviderResponse {
  if (fault === "invalidRecipient") {
    return errorsResponse(400, [sendGridError("addressInvalid", "personalizations.0.to.0.email")]);
  }
  const [status, message] = typeof fault === "string" ? rows[fault] : rowOf(fault.status);
  const response = errorsResponse(status, [{ message, field: null, help: null }]);
  return status === 429 ? { ...response, headers: limitHeaders(now) } : response;
}

function rowOf(status: number): readonly [status: number, message: string] {
  return Object.values(rows).find(([known]) => known === status) ?? [status, reasonOf(status).toLowerCase()];
}

function limitHeaders(now: number): Readonly<Record<string, string>> {
  const resetAt = (Math.floor(now / 60_000) + 1) * 60;
  return {
    "X-RateLimit-Limit": String(requestsPerMinute),
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": String(resetAt),
  };
}
