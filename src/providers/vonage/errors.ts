/** Errors of Vonage's SMS API: the HTTP status is always 200, the body holds the error. */
import type { Problem } from "../../core/errors.ts";
import { failureText, jsonResponse, type ProviderResponse } from "../provider.ts";
import type { SubmissionRefusal } from "../sms.ts";

/** Status codes of send responses that the service uses. */
export type VonageStatus = "0" | "1" | "2" | "3" | "4" | "5" | "12" | "14" | "15";

/** Status code and text of an error. */
export interface VonageError {
  readonly status: VonageStatus;
  readonly text: string;
}

/** Returns an error as a response. */
export function vonageErrorResponse({ status, text }: VonageError): ProviderResponse {
  return jsonResponse(200, { "message-count": "1", messages: [{ status, "error-text": text }] });
}

/** Error for each reason to refuse a message. */
export const refusalErrors: Readonly<Record<SubmissionRefusal, VonageError>> = {
  no_server: { status: "3", text: "Invalid to address" },
  unsubscribed: { status: "15", text: "The recipient has opted out" },
  callback: { status: "3", text: "Invalid callback" },
};

/** Returns Vonage's error for a failure of the service. */
export function vonageFailure(problem: Problem): VonageError {
  return { status: "5", text: failureText(problem, "Internal Error") };
}

/** Returns Vonage's error for a problem of the service. */
export function vonageErrorOf(problem: Problem): VonageError {
  if (problem.code === "unauthenticated" || problem.code === "forbidden")
    return { status: "4", text: "Bad Credentials" };
  if (problem.row.status === 429) return { status: "1", text: "Throughput Rate Exceeded" };
  return { status: "3", text: problem.message };
}
