/** Errors of fault rules as Postmark responds with them: https://postmarkapp.com/developer/api/overview#response-codes */
import type { FaultError } from "../../core/fault.ts";
import { reasonOf } from "../fault-texts.ts";
import type { ProviderFault, ProviderResponse } from "../provider.ts";
import { PostmarkRejection, rejectionResponse, texts } from "./errors.ts";

const rows: Readonly<Record<FaultError, ConstructorParameters<typeof PostmarkRejection>>> = {
  rateLimited: [429, "Rate Limit Exceeded", 429],
  unavailable: [100, "The Postmark API is offline for maintenance.", 503],
  internal: [0, "Internal Server Error", 500],
  unauthorized: [10, texts.badToken, 401],
  invalidRecipient: [300, "Invalid 'To' address.", 422],
  tooLarge: [300, texts.tooLarge, 413],
  timeout: [0, "Gateway Timeout", 504],
};

/** Returns the response to an error of a fault rule. */
export function postmarkFault(fault: ProviderFault): ProviderResponse {
  const row = typeof fault === "string" ? rows[fault] : rowOf(fault.status);
  return rejectionResponse(new PostmarkRejection(...row));
}

function rowOf(status: number): ConstructorParameters<typeof PostmarkRejection> {
  return Object.values(rows).find(([, , known]) => known === status) ?? [0, reasonOf(status), status];
}
