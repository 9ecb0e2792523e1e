/** Errors of Microsoft Graph: https://learn.microsoft.com/graph/errors */
import { randomUUID } from "node:crypto";
import type { Problem, ProblemCode } from "../../core/errors.ts";
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Errors that the service responds with, by their codes. */
const rows = {
  ApplicationThrottled: [429, "Application is over its MailboxConcurrency limit."],
  BadRequest: [
    400,
    "Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.",
  ],
  ErrorAccessDenied: [403, "Access is denied. Check credentials and try again."],
  ErrorFolderExists: [409, "A folder with the specified name already exists."],
  ErrorInternalServerError: [500, "An internal server error occurred. The operation failed."],
  ErrorInvalidIdMalformed: [400, "Id is malformed."],
  ErrorInvalidParameter: [400, "A parameter is missing or invalid."],
  ErrorInvalidProperty: [400, "A property is invalid."],
  ErrorInvalidRecipients: [400, "At least one recipient isn't valid."],
  ErrorInvalidUrlQueryFilter: [400, "The query filter contains one or more invalid nodes."],
  ErrorInvalidUser: [404, "The requested user is invalid."],
  ErrorItemNotFound: [
    404,
    "The specified object was not found in the store., The process failed to get the correct properties.",
  ],
  ErrorItemSave: [409, "The item was changed by another request."],
  ErrorMessageSizeExceeded: [413, "The message exceeds the maximum supported size."],
  ErrorMimeContentInvalidBase64String: [400, "Invalid base64 string for MIME content."],
  ErrorQuotaExceeded: [507, "The mailbox has exceeded its quota."],
  ExtensionError: [400, "The subscription cannot last that long."],
  InvalidAuthenticationToken: [401, "Access token validation failure."],
  InvalidInternetMessageHeader: [400, "An internet message header is invalid."],
  InvalidRange: [416, "The uploaded range does not follow the bytes that have been received."],
  InvalidRequest: [400, "The subscription is invalid."],
  Request_BadRequest: [400, "The request is invalid."],
  ResourceNotFound: [404, "The object was not found."],
  ServiceNotAvailable: [503, "The service is temporarily unavailable."],
  SyncStateNotFound: [410, "The sync state is no longer known. Start a new sync."],
  ValidationError: [400, "Subscription validation request failed."],
} as const;

/** Code of an error. */
export type GraphErrorCode = keyof typeof rows;

/** Error as Graph responds with it. */
export interface GraphError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Returns an error of the table; `message` replaces its text. */
export function graphError(code: GraphErrorCode, message: string = rows[code][1]): GraphError {
  return { status: rows[code][0], code, message };
}

/** Returns the error with this code; `message` replaces the general one of the table. */
export function rejection(code: GraphErrorCode, message?: string): Rejection {
  const error = graphError(code, message);
  return new Rejection(error, shape, error.message);
}

/** Returns the error of a subscription that is invalid, or not emulated. */
export function invalidRequest(message: string): Rejection {
  return rejection("InvalidRequest", message);
}

/** Returns the header fields that every response of Graph has: its own request id, and that of the client. */
export function requestIds({ headers }: Pick<ErrorContext, "headers">): Readonly<Record<string, string>> {
  const own = randomUUID();
  const { "client-request-id": client } = headers;
  // A header field of a response takes no other characters.
  const isUsable = typeof client === "string" && /^[\x21-\x7e]{1,100}$/.test(client);
  return { "request-id": own, "client-request-id": isUsable ? client : own };
}

function shape({ status, code, message }: GraphError, request: Pick<ErrorContext, "headers">): ProviderResponse {
  const ids = requestIds(request);
  const response = jsonResponse(status, { error: { code, message, innerError: { ...ids } } });
  return { ...response, headers: ids };
}

/** Returns the errors that say more than their code; undefined for others. */
function ofProblem(
  { code, row: { status }, message, fields: [field] }: Problem,
  { headers, path, method }: ErrorContext,
): GraphError | undefined {
  if (code === "unauthenticated" && headers.authorization === undefined) {
    return graphError("InvalidAuthenticationToken", "Access token is empty.");
  }
  if (code === "not_found" && message.startsWith("Path")) {
    const segment = path.split("/")[2] ?? "";
    return { status, code: "BadRequest", message: `Resource not found for the segment '${segment}'.` };
  }
  if (code === "not_found" && message.startsWith("Server")) return graphError("ErrorInvalidUser");
  if (code === "method_not_allowed") return ofStatus(status, `Specified HTTP method is not allowed: ${method}.`);
  if (field === undefined || status >= 429 || problems[code] !== undefined) return undefined;
  return ofStatus(status, `${field.field}: ${field.description}`);
}

function ofStatus(status: number, message: string): GraphError {
  if (status === 503) return graphError("ServiceNotAvailable");
  if (status === 507) return { status, code: "ErrorQuotaExceeded", message };
  return { status, code: status < 500 ? "Request_BadRequest" : "ErrorInternalServerError", message };
}

const unauthorized = graphError("InvalidAuthenticationToken");
const tooLarge = graphError("ErrorMessageSizeExceeded");
const problems: Partial<Record<ProblemCode, GraphError>> = {
  unauthenticated: unauthorized,
  forbidden: graphError("ErrorAccessDenied"),
  not_found: graphError("ErrorItemNotFound"),
  conflict: graphError("ErrorItemSave"),
  body_too_large: tooLarge,
  message_too_large: tooLarge,
};

/** Error responses of Graph. */
export const graphErrors: ErrorResponses = errorResponses<GraphError>({
  shape,
  problems,
  ofProblem,
  failure: rows.ErrorInternalServerError[1],
  faults: {
    rateLimited: graphError("ApplicationThrottled"),
    unavailable: graphError("ServiceNotAvailable"),
    internal: graphError("ErrorInternalServerError"),
    unauthorized,
    invalidRecipient: graphError("ErrorInvalidRecipients"),
    tooLarge,
  },
  statusOf: ({ status }) => status,
  ofStatus,
  limitHeaders: () => ({ "retry-after": String(retryAfterSeconds) }),
});
