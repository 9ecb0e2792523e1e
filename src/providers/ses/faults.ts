/**
 * Errors of fault rules as Amazon SES responds with them. `ServiceUnavailable` is a common error of AWS
 * (https://docs.aws.amazon.com/ses/latest/APIReference/CommonErrors.html); AWS documents no 504.
 */
import type { FaultError } from "../../core/fault.ts";
import { reasonOf } from "../fault-texts.ts";
import type { FaultContext, ProviderFault, ProviderResponse } from "../provider.ts";
import { plainErrorResponse, SesError, sesErrorResponse } from "./errors.ts";

const errors: Readonly<Record<FaultError, () => SesError>> = {
  rateLimited: () => new SesError("throttled"),
  unavailable: () => new SesError("unavailable"),
  internal: () => new SesError("internal"),
  unauthorized: () => new SesError("unknownKey"),
  invalidRecipient: () => new SesError("invalid", "Illegal address"),
  tooLarge: () => new SesError("invalid", "Message length exceeds the maximum message size."),
  timeout: () => new SesError("timedOut"),
};

/** Returns the response to an error of a fault rule, in the protocol of the request's path. */
export function sesFault(fault: ProviderFault, request: FaultContext): ProviderResponse {
  if (typeof fault === "string") return sesErrorResponse(errors[fault](), request);
  const { status } = fault;
  const message = reasonOf(status);
  return plainErrorResponse({ status, code: message.replaceAll(" ", ""), message }, request);
}
