/** Errors of Google's APIs: https://developers.google.com/workspace/gmail/api/guides/handle-errors */
import type { Problem } from "../../core/errors.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { detailOf, Rejection } from "../kit/rejection.ts";
import { failureText, jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Error as Google's libraries read it. */
interface GoogleError {
  readonly code: number;
  readonly message: string;
  /** Code of `google.rpc.Code`. */
  readonly status: string;
  /** Cause, by which applications distinguish errors. */
  readonly reason: string;
  /** Message of the older form, where it differs. */
  readonly detail?: string;
}

/** Codes and usual reasons by HTTP status. */
const byStatus: Readonly<Record<number, readonly [status: string, reason: string]>> = {
  400: ["INVALID_ARGUMENT", "invalidArgument"],
  401: ["UNAUTHENTICATED", "authError"],
  403: ["PERMISSION_DENIED", "forbidden"],
  404: ["NOT_FOUND", "notFound"],
  409: ["ABORTED", "aborted"],
  413: ["INVALID_ARGUMENT", "uploadTooLarge"],
  429: ["RESOURCE_EXHAUSTED", "rateLimitExceeded"],
  500: ["INTERNAL", "backendError"],
  501: ["UNIMPLEMENTED", "notImplemented"],
  503: ["UNAVAILABLE", "backendError"],
  504: ["DEADLINE_EXCEEDED", "backendError"],
};

function errorOf(code: number, message: string, others: Partial<GoogleError> = {}): GoogleError {
  const [status, reason] = byStatus[code] ?? byStatus[code < 500 ? 400 : 500] ?? ["UNKNOWN", "unknown"];
  return { code, message, status, reason, ...others };
}

function shape({ code, message, status, reason, detail = message }: GoogleError): ProviderResponse {
  const location = code === 401 ? { location: "Authorization", locationType: "header" } : {};
  const errors = [{ message: detail, domain: "global", reason, ...location }];
  const response = jsonResponse(code, { error: { code, message, errors, status } });
  return code === 401
    ? { ...response, headers: { "www-authenticate": 'Bearer realm="https://accounts.google.com/"' } }
    : response;
}

function rejectionOf(error: GoogleError): Rejection<GoogleError> {
  return new Rejection(error, shape, error.message);
}

type Failing = (message: string) => Rejection;

/** Returns the error of a wrong argument. */
export const invalidArgument: Failing = (message) => rejectionOf(errorOf(400, message));

/** Returns the error of a body that is no JSON, or whose member `field` has a wrong value. */
export const invalidPayload: Failing = (message) => rejectionOf(errorOf(400, message, { reason: "badRequest" }));

/** Returns the error of an object that does not exist. */
export const notFoundEntity = (): Rejection => rejectionOf(missing);

/** Returns the error of a mail that is too large. */
export const tooLarge = (): Rejection => rejectionOf(requestTooLarge);

/** Returns the error of a request that the state of the mailbox does not allow. */
export const failedPrecondition: Failing = (message) =>
  rejectionOf(errorOf(400, message, { status: "FAILED_PRECONDITION", reason: "failedPrecondition" }));

/** Returns the error of a mailbox that is not the caller's. */
export const delegationDenied: Failing = (user) => rejectionOf(errorOf(403, `Delegation denied for ${user}`));

/** Returns the error of a resource that exists. */
export const alreadyExists: Failing = (message) =>
  rejectionOf(errorOf(409, message, { status: "ALREADY_EXISTS", reason: "alreadyExists" }));

/** Returns the error of a resource that does not exist. */
export const missingResource: Failing = (message) => rejectionOf(errorOf(404, message));

/** Returns the error of a label that another one has the name of. */
export const labelConflict = (): Rejection => rejectionOf(errorOf(409, "Label name exists or conflicts"));

const missing = errorOf(404, "Requested entity was not found.");
const credential =
  "Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";
const unauthorized = errorOf(401, `Request had invalid authentication credentials. ${credential}`, {
  detail: "Invalid Credentials",
});
const anonymous = errorOf(401, `Request is missing required authentication credential. ${credential}`, {
  detail: "Login Required.",
  reason: "required",
});
const insufficientScope = errorOf(403, "Request had insufficient authentication scopes.", {
  detail: "Insufficient Permission",
  reason: "insufficientPermissions",
});
const requestTooLarge = errorOf(413, "Request Entity Too Large");
const rateLimited = errorOf(429, "Too many concurrent requests for user.");
const unavailable = errorOf(503, "The service is currently unavailable.");
const internal = errorOf(500, "Internal error encountered.");

function ofProblem(problem: Problem, { headers }: ErrorContext): GoogleError {
  const { code, row } = problem;
  if (code === "unauthenticated") return headers.authorization === undefined ? anonymous : unauthorized;
  if (code === "forbidden") return insufficientScope;
  if (code === "not_found") return missing;
  if (code === "limit_reached") return errorOf(403, detailOf(problem), { reason: "limitExceeded" });
  if (row.status === 429) return rateLimited;
  if (row.status < 500) return errorOf(row.status, detailOf(problem));
  const { message } = row.status === 503 ? unavailable : internal;
  return errorOf(row.status, failureText(problem, message));
}

/** Error responses of the Gmail API. */
export const gmailErrors: ErrorResponses = errorResponses<GoogleError>({
  shape,
  ofProblem,
  faults: {
    rateLimited,
    unavailable,
    internal,
    unauthorized,
    invalidRecipient: errorOf(400, "Invalid To header"),
    tooLarge: requestTooLarge,
    timeout: errorOf(504, "Deadline expired before operation could complete."),
  },
  statusOf: ({ code }) => code,
  ofStatus: (status, reason) => errorOf(status, reason),
});
