/**
 * Errors of Amazon SNS: https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html and the errors of each action. AWS documents
 * no 504.
 */
import type { Problem } from "../../core/errors.ts";
import { readAccessKey } from "../formats/aws-access-key.ts";
import { MemberError } from "../formats/aws-members.ts";
import { queryErrorResponse, type QueryError } from "../formats/aws-xml.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { failureText, type ErrorContext, type ProviderResponse } from "../provider.ts";
import { newQueryContext } from "./response.ts";

const rows = {
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
} as const;

/** Error code of Amazon SNS. */
export type SnsErrorCode = keyof typeof rows;

const messageLengthMax = 500;

function errorOf(code: SnsErrorCode, message: string = rows[code][1]): QueryError {
  return { status: rows[code][0], code, message: message.slice(0, messageLengthMax) };
}

function invalidError(text: string): QueryError {
  return errorOf("InvalidParameter", `Invalid parameter: ${text}`);
}

function shape(error: QueryError): ProviderResponse {
  return queryErrorResponse(newQueryContext(), error);
}

/** Returns the error of the API with a public message. */
export function rejection(code: SnsErrorCode, message?: string): Rejection {
  const error = errorOf(code, message);
  return new Rejection(error, shape, error.message);
}

/** Returns the error for an invalid parameter: `Invalid parameter: <text>`. */
export function invalidParameter(text: string): Rejection {
  return rejection("InvalidParameter", `Invalid parameter: ${text}`);
}

/** Throws an error; that of a member becomes one of the API. */
export function throwAsRejection(error: unknown): never {
  if (!(error instanceof MemberError)) throw error;
  throw rejection(error.kind === "malformed" ? "MalformedQueryString" : "ValidationError", error.message);
}

function errorOfProblem(problem: Problem, { headers }: ErrorContext): QueryError {
  const { code, row, message, fields } = problem;
  const [field] = fields;
  if (row.status >= 500) return errorOf("InternalError", failureText(problem, rows.InternalError[1]));
  if (code === "unauthenticated") {
    return errorOf(readAccessKey(headers, []) === null ? "MissingAuthenticationToken" : "InvalidClientTokenId");
  }
  if (code === "forbidden") return errorOf("AuthorizationError");
  if (code === "not_found" || code === "method_not_allowed") return errorOf("InvalidAction");
  if (code === "body_too_large") return invalidError("Message too long");
  if (code === "unsupported_media_type") return errorOf("MalformedQueryString");
  if (row.status === 429) return errorOf("Throttled", message);
  return invalidError(field === undefined ? message : `${field.field} Reason: ${field.description}`);
}

const unavailable = "The request has failed due to a temporary failure of the server.";

/** Error responses of Amazon SNS. */
export const snsErrors: ErrorResponses = errorResponses<QueryError>({
  shape,
  ofProblem: errorOfProblem,
  faults: {
    rateLimited: errorOf("Throttled"),
    unavailable: { status: 503, code: "ServiceUnavailable", message: unavailable },
    internal: errorOf("InternalError"),
    unauthorized: errorOf("InvalidClientTokenId"),
    invalidRecipient: invalidError("PhoneNumber Reason: The number is not valid to publish to"),
    tooLarge: invalidError("Message too long"),
    timeout: { status: 504, code: "GatewayTimeout", message: "The request has timed out." },
  },
  ofStatus: (status, message) => ({ status, code: message.replaceAll(" ", ""), message }),
});
