/**
 * Errors of fault rules as Vonage responds with them: the SMS API has the status 200 and an error in the body, as documented
 * on https://developer.vonage.com/en/api-errors/sms (1, 3, 4, 5 and 12); Verify has problem details.
 */
import type { FaultError } from "../../core/fault.ts";
import { reasonOf } from "../fault-texts.ts";
import { jsonResponse, type FaultContext, type ProviderFault, type ProviderResponse } from "../provider.ts";
import { vonageErrorResponse, type VonageError } from "./errors.ts";
import { plainProblem, verifyErrorResponse, type VerifyErrorName } from "./verify-errors.ts";

const smsErrors: Readonly<Record<Exclude<FaultError, "timeout">, VonageError>> = {
  rateLimited: { status: "1", text: "Throughput Rate Exceeded" },
  unavailable: { status: "5", text: "Internal Error" },
  internal: { status: "5", text: "Internal Error" },
  unauthorized: { status: "4", text: "Bad Credentials" },
  invalidRecipient: { status: "3", text: "Invalid to address" },
  tooLarge: { status: "12", text: "Message too long" },
};

const verifyErrors: Readonly<Record<FaultError, VerifyErrorName | number>> = {
  rateLimited: "throttled",
  unavailable: 503,
  internal: 500,
  unauthorized: "unauthorized",
  invalidRecipient: "invalid-params",
  tooLarge: 413,
  timeout: 504,
};

/** Returns the response to an error of a fault rule, in the form of the API that the path belongs to. */
export function vonageFault(fault: ProviderFault, { path }: FaultContext): ProviderResponse {
  if (path.startsWith("/v2/")) return verifyFault(fault);
  if (fault !== "timeout" && typeof fault === "string") return vonageErrorResponse(smsErrors[fault]);
  const status = fault === "timeout" ? 504 : fault.status;
  return jsonResponse(status, { type: "about:blank", title: reasonOf(status), detail: reasonOf(status) });
}

function verifyFault(fault: ProviderFault): ProviderResponse {
  const row = typeof fault === "string" ? verifyErrors[fault] : fault.status;
  if (typeof row === "number") return plainProblem(row, reasonOf(row));
  const parameter = { name: "workflow[0].to", reason: "is invalid" };
  return verifyErrorResponse(row === "invalid-params" ? { name: row, parameter } : { name: row });
}
