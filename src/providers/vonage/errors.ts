/**
 * Errors of Vonage's SMS API: the HTTP status is always 200, the body holds the error, as documented on
 * https://developer.vonage.com/en/api-errors/sms (1, 3, 4, 5 and 12).
 */
import type { Problem } from "../../core/errors.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { failureText, jsonResponse, type ProviderResponse, type ErrorContext } from "../provider.ts";
import type { SubmissionRefusal } from "../sms.ts";
import { randomUUID } from "node:crypto";

/** Status code and text of an error; a number is an HTTP status. */
interface VonageError {
  readonly status: "1" | "2" | "3" | "4" | "5" | "12" | "15" | number;
  readonly text: string;
}

function shape({ status, text }: VonageError): ProviderResponse {
  return typeof status === "number"
    ? jsonResponse(status, { type: "about:blank", title: text, detail: text })
    : jsonResponse(200, { "message-count": "1", messages: [{ status, "error-text": text }] });
}

/** Returns the error with a status code. */
export function rejection(status: VonageError["status"], text: string): Rejection {
  return new Rejection<VonageError>({ status, text }, shape, text);
}

/** Error for each reason to refuse a message. */
export const refusals: Readonly<Record<SubmissionRefusal, Rejection>> = {
  no_server: rejection("3", "Invalid to address"),
  unsubscribed: rejection("15", "The recipient has opted out"),
  callback: rejection("3", "Invalid callback"),
};

function errorOfProblem(problem: Problem): VonageError {
  const { code, row, message } = problem;
  if (row.status >= 500) return { status: "5", text: failureText(problem, "Internal Error") };
  if (code === "unauthenticated" || code === "forbidden") return { status: "4", text: "Bad Credentials" };
  return row.status === 429 ? { status: "1", text: "Throughput Rate Exceeded" } : { status: "3", text: message };
}

const smsErrors = errorResponses<VonageError>({
  shape,
  ofProblem: errorOfProblem,
  faults: {
    rateLimited: { status: "1", text: "Throughput Rate Exceeded" },
    unavailable: { status: "5", text: "Internal Error" },
    internal: { status: "5", text: "Internal Error" },
    unauthorized: { status: "4", text: "Bad Credentials" },
    invalidRecipient: { status: "3", text: "Invalid to address" },
    tooLarge: { status: "12", text: "Message too long" },
  },
  ofStatus: (status, text) => ({ status, text }),
});

function errorsOf({ path }: { readonly path: string }): ErrorResponses {
  return path.startsWith("/v2/") ? verifyErrors : smsErrors;
}

/** Error responses of Vonage, in the form of the API that the path belongs to. */
export const vonageErrors: ErrorResponses = {
  errorResponse: (problem, request) => errorsOf(request).errorResponse(problem, request),
  faultResponse: (fault, request) => errorsOf(request).faultResponse(fault, request),
};

// Errors of Vonage Verify v2: problem details (RFC 9457).

const general = "https://developer.vonage.com/api-errors";

/** Status, title, type below {@link general} or as a whole, and detail of an error by its name. */
const rows = {
  unauthorized: [401, "Unauthorized", "#unauthorized", "You did not provide correct credentials."],
  forbidden: [403, "Forbidden", "#forbidden", "Your account does not have permission to perform this action."],
  "not-found": [404, "Not Found", "#not-found", "Request '%' was not found or it has been verified already."],
  "invalid-params": [422, "Invalid params", "#invalid-params", "The value of one or more parameters is invalid"],
  throttled: [429, "Rate Limit Hit", "#throttled", "Please wait, then retry your request"],
  conflict: [
    409,
    "Conflict",
    "https://www.developer.vonage.com/api-errors/verify#conflict",
    "Concurrent verifications to the same number are not allowed.",
  ],
  "invalid-code": [
    400,
    "Invalid Code",
    "/verify#invalid-code",
    "The code you provided does not match the expected value.",
  ],
  expired: [
    410,
    "Invalid Code",
    "/verify#expired",
    "An incorrect code has been provided too many times. Workflow terminated.",
  ],
  "no-events": [409, "Conflict", "/verify#no-events", "There are no more events left to trigger."],
} as const;

/** Names of the errors. */
type VerifyErrorName = keyof typeof rows;

const quotedLengthMax = 100;

/** Error with its variable parts. */
export interface VerifyError {
  readonly name: VerifyErrorName;
  /** Id that the detail of `not-found` shows. */
  readonly id?: string;
  /** Rejected parameter. */
  readonly parameter?: { readonly name: string; readonly reason: string };
  /** Request that is in progress, of `conflict`. */
  readonly requestId?: string;
}

/** HTTP status that the table does not have, with its title. */
interface PlainError {
  readonly status: number;
  readonly title: string;
}

function shapeVerify(error: VerifyError | PlainError): ProviderResponse {
  if ("status" in error)
    return problemResponse(error.status, { title: error.title, type: general, detail: error.title });
  const { name, id = "", parameter, requestId } = error;
  const [status, title, type, detail] = rows[name];
  return problemResponse(status, {
    title,
    type: type.startsWith("https:") ? type : general + type,
    detail: detail.replace("%", () => id.slice(0, quotedLengthMax)),
    ...(parameter !== undefined && { invalid_parameters: [parameter] }),
    ...(requestId !== undefined && { request_id: requestId }),
  });
}

function problemResponse(status: number, members: Readonly<Record<string, unknown>>): ProviderResponse {
  const { title, type, detail, ...others } = members;
  const body = { title, type, detail, instance: randomUUID(), ...others };
  return { status, body: { contentType: "application/problem+json; charset=utf-8", text: JSON.stringify(body) } };
}

/** Returns the error with its variable parts. */
export function verifyRejection(error: VerifyError): Rejection<VerifyError> {
  return new Rejection(error, shapeVerify, error.name);
}

/** Returns the error of a parameter. */
export function invalidParameter(name: string, reason: string): Rejection<VerifyError> {
  return verifyRejection({ name: "invalid-params", parameter: { name, reason } });
}

function verifyErrorOf(problem: Problem, { path }: ErrorContext): VerifyError | PlainError {
  const { code, row, message } = problem;
  if (row.status >= 500) return { status: row.status, title: failureText(problem, "Internal Server Error") };
  if (code === "unauthenticated") return { name: "unauthorized" };
  if (code === "forbidden") return { name: "forbidden" };
  if (row.status === 429) return { name: "throttled" };
  if (row.status === 404 || row.status === 405) return { name: "not-found", id: path.split("/")[3] ?? "" };
  return { name: "invalid-params", parameter: { name: "body", reason: message } };
}

/** Error responses of Vonage Verify. */
const verifyErrors: ErrorResponses = errorResponses<VerifyError | PlainError>({
  shape: shapeVerify,
  ofProblem: verifyErrorOf,
  faults: {
    rateLimited: { name: "throttled" },
    unauthorized: { name: "unauthorized" },
    invalidRecipient: { name: "invalid-params", parameter: { name: "workflow[0].to", reason: "is invalid" } },
  },
  ofStatus: (status, title) => ({ status, title }),
});
