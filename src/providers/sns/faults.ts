/**
 * Errors of fault rules as Amazon SNS responds with them: https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html. AWS
 * documents no 504.
 */
import type { FaultError } from "../../core/fault.ts";
import { queryErrorResponse, type QueryError } from "../formats/aws-xml.ts";
import { reasonOf } from "../fault-texts.ts";
import type { ProviderFault, ProviderResponse } from "../provider.ts";
import { invalidParameter, SnsError, snsErrorResponse, type SnsErrorCode } from "./errors.ts";
import { newQueryContext } from "./response.ts";

const rows: Readonly<Record<FaultError, SnsErrorCode | QueryError | (() => SnsError)>> = {
  rateLimited: "Throttled",
  unavailable: {
    status: 503,
    code: "ServiceUnavailable",
    message: "The request has failed due to a temporary failure of the server.",
  },
  internal: "InternalError",
  unauthorized: "InvalidClientTokenId",
  invalidRecipient: () => invalidParameter("PhoneNumber Reason: The number is not valid to publish to"),
  tooLarge: () => invalidParameter("Message too long"),
  timeout: { status: 504, code: "GatewayTimeout", message: "The request has timed out." },
};

/** Returns the response to an error of a fault rule. */
export function snsFault(fault: ProviderFault): ProviderResponse {
  if (typeof fault !== "string") return plainResponse(fault.status);
  const row = rows[fault];
  if (typeof row === "function") return snsErrorResponse(row());
  return typeof row === "string" ? snsErrorResponse(new SnsError(row)) : queryErrorResponse(newQueryContext(), row);
}

function plainResponse(status: number): ProviderResponse {
  const message = reasonOf(status);
  return queryErrorResponse(newQueryContext(), { status, code: message.replaceAll(" ", ""), message });
}
