/**
 * Errors of Postmark's API: https://postmarkapp.com/developer/api/overview#error-codes. The texts come from Postmark's reference and from the tests of its SDKs.
 */
import type { Problem } from "../../core/errors.ts";
import { jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Error codes that the service responds with. 0 stands for errors of HTTP that have no code of their own. */
export type PostmarkCode =
  | 0
  | 10
  | 100
  | 300
  | 402
  | 403
  | 406
  | 409
  | 410
  | 411
  | 429
  | 700
  | 701
  | 1001
  | 1100
  | 1101
  | 1105
  | 1109
  | 1120
  | 1121
  | 1122
  | 1123
  | 1130
  | 1131
  | 1226
  | 1235
  | 1236;

/** Error as the API reports it, for a request or for one message of a batch. */
export class PostmarkRejection extends Error {
  override readonly name: string = "PostmarkRejection";
  readonly code: PostmarkCode;
  readonly status: number;

  constructor(code: PostmarkCode, message: string, status = 422) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Names of texts without variable parts. */
export type PostmarkText =
  | "streamMissing"
  | "noToken"
  | "badToken"
  | "noBody"
  | "tooManyRecipients"
  | "invalidJson"
  | "mediaType"
  | "tooManyMessages"
  | "attachmentType"
  | "templateId"
  | "templateAlias"
  | "contentBesideTemplate"
  | "messageMissing"
  | "tooLarge";

/** Texts of errors without variable parts. */
export const texts: Readonly<Record<PostmarkText, string>> = {
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
  contentBesideTemplate:
    "Neither 'TextBody', 'HtmlBody', or 'Subject' may be specified when using a template for the email.",
  messageMissing: "The message you are looking for was not found.",
  tooLarge: "The message exceeds the size limit of 10 MB.",
};

/** Returns the rejection of fields with the wrong type or value. */
export function invalidField(name: string): PostmarkRejection {
  return new PostmarkRejection(403, `Invalid request field(s): '${name}'.`);
}

/** JSON of an error. */
export interface PostmarkErrorBody {
  readonly ErrorCode: PostmarkCode;
  readonly Message: string;
}

/** Returns the JSON of a rejection. */
export function errorBody({ code, message }: PostmarkRejection): PostmarkErrorBody {
  return { ErrorCode: code, Message: message };
}

/** Returns the response of a rejection. */
export function rejectionResponse(rejection: PostmarkRejection): ProviderResponse {
  const response = jsonResponse(rejection.status, errorBody(rejection));
  return { ...response, headers: { "X-PM-ApiErrorCode": String(rejection.code) } };
}

/** Returns Postmark's error for a problem of the service. */
export function postmarkErrorResponse(problem: Problem, { headers }: ErrorContext): ProviderResponse {
  return rejectionResponse(rejectionOf(problem, headers["x-postmark-server-token"] !== undefined));
}

function rejectionOf({ code, row, fields, message }: Problem, hasToken: boolean): PostmarkRejection {
  const { status } = row;
  if (code === "unauthenticated" || code === "forbidden") {
    return new PostmarkRejection(10, hasToken ? texts.badToken : texts.noToken, 401);
  }
  if (code === "not_found") return new PostmarkRejection(0, "Not found", 404);
  if (code === "unsupported_media_type") return new PostmarkRejection(409, texts.mediaType);
  if (status === 413) return new PostmarkRejection(300, texts.tooLarge, 413);
  if (status === 429) return new PostmarkRejection(429, "Rate Limit Exceeded", 429);
  if (code === "method_not_allowed") return new PostmarkRejection(0, message, 405);
  return new PostmarkRejection(300, fields[0]?.description ?? message);
}

/** Returns the response of a rejection that is thrown meanwhile. */
export async function withRejections(respond: () => Promise<ProviderResponse>): Promise<ProviderResponse> {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof PostmarkRejection) return rejectionResponse(error);
    throw error;
  }
}
