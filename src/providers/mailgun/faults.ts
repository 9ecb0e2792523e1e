/**
 * Errors of fault rules as Mailgun responds with them: https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses,
 * by which a response with 429 says when to repeat the request.
 */
import type { FaultError } from "../../core/fault.ts";
import { reasonOf, retryAfterSeconds } from "../fault-texts.ts";
import { jsonResponse, type FaultContext, type ProviderFault, type ProviderResponse } from "../provider.ts";
import { texts, unauthenticated } from "./errors.ts";

const rows: Readonly<Record<Exclude<FaultError, "unauthorized">, readonly [status: number, message: string]>> = {
  rateLimited: [429, "Too many requests"],
  unavailable: [503, "Service Unavailable"],
  internal: [500, "Internal Server Error"],
  invalidRecipient: [400, texts.invalidAddress("to")],
  tooLarge: [413, "Request Entity Too Large"],
  timeout: [504, "Gateway Timeout"],
};

/** Returns the response to an error of a fault rule. */
export function mailgunFault(fault: ProviderFault, { path }: FaultContext): ProviderResponse {
  if (fault === "unauthorized") return unauthenticated(path);
  if (typeof fault !== "string" && fault.status === 401) return unauthenticated(path);
  const [status, message] = typeof fault === "string" ? rows[fault] : [fault.status, reasonOf(fault.status)];
  const response = jsonResponse(status, { message });
  return status === 429 ? { ...response, headers: { "retry-after": String(retryAfterSeconds) } } : response;
}
