/**
 * Errors of Postmark's API: https://postmarkapp.com/developer/api/overview#error-codes. The texts come from Postmark's reference and from the tests of its SDKs.
 */
import type { Problem } from "../../core/errors.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { detailOf, Rejection } from "../kit/rejection.ts";
import { failureText, jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Texts of errors without variable parts. */
export const texts = {
  streamMissing: "The message stream was not found.",
  noToken:
    "No Account or Server API tokens were supplied in the HTTP headers. Please add a header for either X-Postmark-Server-Token or X-Postmark-Account-Token.",
  badToken: "Request does not contain a valid Server token.",
  noBody: "Provide either email TextBody or HtmlBody or both.",
  tooManyRecipients: "Maximum of 50 recipients allowed per email message.",
  invalidJson: "Invalid JSON",
  mediaType: "Content-Type and Accept headers must be set to application/json, text/json, or text/x-json.",
  tooManyMessages: "You may only send up to 500 messages in a single batched request.",
  attachmentType: "Attachment file type not allowed.",
  templateId: "The 'TemplateId' associated with this request is not valid or was not found.",
  templateAlias: "The Template's 'Alias' associated with this request is not valid or was not found.",
  layout: "The 'LayoutTemplate' associated with this request is not valid or was not found.",
  contentBesideTemplate:
    "Neither 'TextBody', 'HtmlBody', or 'Subject' may be specified when using a template for the email.",
  messageMissing: "The message you are looking for was not found.",
  tooLarge: "The message exceeds the size limit of 10 MB.",
} as const;

/** Error as the API reports it, for a request or for one message of a batch; 0 stands for errors of HTTP without a code. */
type PostmarkError = readonly [code: number, message: string, status: number];

function shape([code, message, status]: PostmarkError): ProviderResponse {
  const response = jsonResponse(status, { ErrorCode: code, Message: message });
  return { ...response, headers: { "X-PM-ApiErrorCode": String(code) } };
}

/** Returns the error with a code. */
export function rejection(code: number, message: string, status = 422): Rejection {
  return new Rejection<PostmarkError>([code, message, status], shape, message);
}

/** Returns the JSON of an error. */
export function errorBody({ failure }: Rejection): { readonly ErrorCode: number; readonly Message: string } {
  const [code, message] = failure as PostmarkError;
  return { ErrorCode: code, Message: message };
}

/** Returns the error of fields with the wrong type or value. */
export function invalidField(name: string): Rejection {
  return rejection(403, `Invalid request field(s): '${name}'.`);
}

function errorOfProblem(problem: Problem, { headers }: ErrorContext): PostmarkError {
  const { code, row, message } = problem;
  const { status } = row;
  if (status >= 500) return [0, failureText(problem, "Internal Server Error"), status];
  if (code === "unauthenticated" || code === "forbidden") {
    return [10, headers["x-postmark-server-token"] === undefined ? texts.noToken : texts.badToken, 401];
  }
  if (code === "not_found") return [0, "Not found", 404];
  if (code === "unsupported_media_type") return [409, texts.mediaType, 422];
  if (status === 413) return [300, texts.tooLarge, 413];
  if (status === 429) return [429, "Rate Limit Exceeded", 429];
  if (code === "method_not_allowed") return [0, message, 405];
  return [300, detailOf(problem), 422];
}

/** Error responses of Postmark: https://postmarkapp.com/developer/api/overview#response-codes */
export const postmarkErrors: ErrorResponses = errorResponses<PostmarkError>({
  shape,
  ofProblem: errorOfProblem,
  faults: {
    rateLimited: [429, "Rate Limit Exceeded", 429],
    unavailable: [100, "The Postmark API is offline for maintenance.", 503],
    unauthorized: [10, texts.badToken, 401],
    invalidRecipient: [300, "Invalid 'To' address.", 422],
    tooLarge: [300, texts.tooLarge, 413],
  },
  statusOf: ([, , status]) => status,
  ofStatus: (status, reason) => [0, reason, status],
});
