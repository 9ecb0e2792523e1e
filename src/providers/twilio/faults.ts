/**
 * Errors of fault rules as Twilio responds with them: https://www.twilio.com/docs/api/errors/20503, …/20429 and …/20500, whose
 * causes include a timeout of the API; there is no code of its own for 504.
 */
import type { FaultError } from "../../core/fault.ts";
import { reasonOf } from "../fault-texts.ts";
import { jsonResponse, type FaultContext, type ProviderFault, type ProviderResponse } from "../provider.ts";
import { twilioError, twilioErrorResponse, type TwilioError } from "./errors.ts";

const internal = twilioError(20500);
const timedOut: TwilioError = { status: 504, body: { ...internal.body, message: "Gateway Timeout", status: 504 } };

const errors: Readonly<Record<FaultError, () => TwilioError>> = {
  rateLimited: () => twilioError(20429),
  unavailable: () => twilioError(20503),
  internal: () => twilioError(20500),
  unauthorized: () => twilioError(20003),
  invalidRecipient: () => twilioError(21211),
  tooLarge: () => twilioError(21617),
  timeout: () => timedOut,
};

/** Returns the response to an error of a fault rule; Verify, below `/v2`, has a code of its own for invalid parameters. */
export function twilioFault(fault: ProviderFault, { path }: FaultContext): ProviderResponse {
  const isInvalid = fault === "invalidRecipient" || fault === "tooLarge";
  if (isInvalid && path.startsWith("/v2/")) return twilioErrorResponse(twilioError(60200, " `To`"));
  if (typeof fault === "string") return twilioErrorResponse(errors[fault]());
  const { status } = fault;
  if (status === 504) return twilioErrorResponse(timedOut);
  const known = [20003, 20404, 20429, 20500, 20503] as const;
  const error = known.map((code) => twilioError(code)).find((one) => one.status === status);
  if (error !== undefined) return twilioErrorResponse(error);
  const code = 20_000 + status;
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return jsonResponse(status, { code, message: reasonOf(status), more_info, status });
}
