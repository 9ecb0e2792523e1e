/**
 * Errors of Vonage's SMS API: the HTTP status is always 200, the body holds the error, as documented on
 * https://developer.vonage.com/en/api-errors/sms (1, 3, 4, 5 and 12).
 */
import type { Problem } from "../../core/errors.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { failureText, jsonResponse, type ProviderResponse } from "../provider.ts";
import type { SubmissionRefusal } from "../sms.ts";
import { verifyErrors } from "./verify-errors.ts";

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
