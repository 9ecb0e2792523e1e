/**
 * Errors of Amazon SNS. https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html and the errors of each action.
 */
import type { Problem } from "../../core/errors.ts";
import { readAccessKey } from "../formats/aws-access-key.ts";
import { queryErrorResponse } from "../formats/aws-xml.ts";
import { failureText, type ErrorContext, type ProviderResponse } from "../provider.ts";
import { newQueryContext } from "./response.ts";

/** Error code of Amazon SNS. */
export type SnsErrorCode =
  | "AuthorizationError"
  | "InternalError"
  | "InvalidAction"
  | "InvalidClientTokenId"
  | "InvalidParameter"
  | "MalformedQueryString"
  | "MissingAuthenticationToken"
  | "NotFound"
  | "Throttled"
  | "ValidationError";

const rows: Readonly<Record<SnsErrorCode, readonly [status: number, message: string]>> = {
  AuthorizationError: [403, "The access key is not authorized to perform this action."],
  InternalError: [500, "The request processing has failed because of an unknown error."],
  InvalidAction: [400, "The requested operation does not exist."],
  InvalidClientTokenId: [403, "The security token included in the request is invalid."],
  InvalidParameter: [400, "Invalid parameter"],
  MalformedQueryString: [400, "The request body cannot be parsed."],
  MissingAuthenticationToken: [403, "Missing Authentication Token"],
  NotFound: [404, "Topic does not exist"],
  Throttled: [429, "Rate exceeded"],
  ValidationError: [400, "1 validation error detected."],
};

const messageLengthMax = 500;

/** Rejection of a request by the emulated API; the endpoint turns it into a response. Its message is public. */
export class SnsError extends Error {
  override readonly name: string = "SnsError";
  readonly code: SnsErrorCode;

  constructor(code: SnsErrorCode, message: string = rows[code][1]) {
    super(message.slice(0, messageLengthMax));
    this.code = code;
  }
}

/** Returns the error for an invalid parameter: `Invalid parameter: <text>`. */
export function invalidParameter(text: string): SnsError {
  return new SnsError("InvalidParameter", `Invalid parameter: ${text}`);
}

/** Returns an error as a response. */
export function snsErrorResponse({ code, message }: SnsError): ProviderResponse {
  return queryErrorResponse(newQueryContext(), { status: rows[code][0], code, message });
}

/** Returns the error of Amazon SNS for a failure of the service. */
export function snsFailure(problem: Problem): SnsError {
  return new SnsError("InternalError", failureText(problem, rows.InternalError[1]));
}

/** Returns the response of Amazon SNS to a problem of the service. */
export function snsProblemResponse(problem: Problem, request: ErrorContext): ProviderResponse {
  return snsErrorResponse(errorOfProblem(problem, request));
}

function errorOfProblem({ code, row, message, fields }: Problem, { headers }: ErrorContext): SnsError {
  if (code === "unauthenticated") {
    return new SnsError(readAccessKey(headers, []) === null ? "MissingAuthenticationToken" : "InvalidClientTokenId");
  }
  if (code === "forbidden") return new SnsError("AuthorizationError");
  if (code === "not_found" || code === "method_not_allowed") return new SnsError("InvalidAction");
  if (code === "body_too_large") return invalidParameter("Message too long");
  if (code === "unsupported_media_type") return new SnsError("MalformedQueryString");
  if (row.status === 429) return new SnsError("Throttled", message);
  return invalidParameter(fields[0] === undefined ? message : `${fields[0].field} Reason: ${fields[0].description}`);
}
