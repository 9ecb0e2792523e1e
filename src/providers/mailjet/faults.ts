/**
 * Errors of fault rules as Mailjet responds with them: https://dev.mailjet.com/docs/email-api/email_api_overview/status_codes.
 * No header field of rate limits is documented (https://dev.mailjet.com/reference/overview/rate-limits/).
 */
import { randomUUID } from "node:crypto";
import type { FaultError } from "../../core/fault.ts";
import { reasonOf } from "../fault-texts.ts";
import { jsonResponse, type FaultContext, type ProviderFault, type ProviderResponse } from "../provider.ts";
import { issueWire, texts } from "./errors.ts";

const rows: Readonly<Record<FaultError, readonly [status: number, message: string]>> = {
  rateLimited: [429, "Too many requests"],
  unavailable: [503, "Service Unavailable"],
  internal: [500, "Internal Server Error"],
  unauthorized: [401, texts.unauthorized],
  invalidRecipient: [400, texts.invalidAddress("")],
  tooLarge: [413, "Request Entity Too Large"],
  timeout: [504, "Gateway Timeout"],
};

/** Returns the response to an error of a fault rule, in the form of the API that the path belongs to. */
export function mailjetFault(fault: ProviderFault, { path }: FaultContext): ProviderResponse {
  const isV31 = path.startsWith("/v3.1/");
  const [status, message] = typeof fault === "string" ? rows[fault] : rowOf(fault.status);
  if (isV31 && fault === "invalidRecipient") return rejectedMessage(message);
  return isV31
    ? jsonResponse(status, { ErrorIdentifier: randomUUID(), ErrorMessage: message, StatusCode: status })
    : jsonResponse(status, { ErrorInfo: "", ErrorMessage: message, StatusCode: status });
}

function rejectedMessage(text: string): ProviderResponse {
  const issue = issueWire({ code: "mj-0013", text, relatedTo: ["To[0].Email"] });
  return jsonResponse(400, { Messages: [{ Status: "error", Errors: [issue] }] });
}

function rowOf(status: number): readonly [status: number, message: string] {
  return Object.values(rows).find(([known]) => known === status && known !== 400) ?? [status, reasonOf(status)];
}
