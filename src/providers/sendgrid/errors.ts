/**
 * Errors of SendGrid's API v3. Texts: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/errors, and responses of
 * the API in the issues of its SDKs where they differ from that page. Rate limits:
 * https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits
 */
import type { Problem } from "../../core/errors.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { detailOf, Rejection } from "../kit/rejection.ts";
import { failureText, jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Error of one field as the API reports it. */
export interface SendGridError {
  readonly message: string;
  /** Path with numeric indexes, `personalizations.0.to.1.email`; null for the whole request. */
  readonly field: string | null;
  /** URL of a page about the error; endpoints other than mail send have none. */
  readonly help?: string | null;
}

const page = "http://sendgrid.com/docs/API_Reference/Web_API_v3/Mail/errors.html";
const example = '{"email" : "example@example.com"}  or {"email" : "example@example.com", "name" : "Example Recipient"}';

interface ErrorRow {
  /** `%` is replaced by the rejected value. */
  readonly message: string;
  /** Fragment of the help page; by default that of the field, null for no help. */
  readonly anchor?: string | null;
}

const recipientErrors = "message.recipient-errors";

/** Errors of mail send by name. */
const rows = {
  badRequest: { message: "Bad Request", anchor: null },
  invalidType: { message: "Invalid type. Expected: %." },
  batchId: { message: "The batch_id must be a string." },
  // The API's own text for a from address of another domain is not documented.
  fromDomain: { message: "The domain of the from address must match the domain of the message's from address." },
  fromRequired: {
    message:
      `The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.  e.g. ${example}.` as string,
  },
  fromInvalid: { message: "The from email does not contain a valid address." },
  addressInvalid: { message: "Does not contain a valid address." },
  addressTooLong: { message: "The % email exceeds the maximum total length of 320 characters" },
  addressRequired: { message: "The % email parameter is required." },
  personalizationsRequired: {
    message: "The personalizations field is required and must have at least one personalization.",
    anchor: "-Personalizations-Errors",
  },
  tooManyPersonalizations: {
    message:
      "The personalization block is limited to 1000 personalizations per API request. You have provided % personalizations. Please consider splitting this into multiple requests and resending your request.",
    anchor: "-Personalizations-Errors",
  },
  toRequired: {
    message:
      "The to array is required for all personalization objects, and must have at least one email object with a valid email address.",
  },
  copyRequired: {
    message:
      `The % array, when used, must at least have an email parameter with a valid email address and it may also contain a name parameter. e.g. ${example}.` as string,
  },
  tooManyRecipients: {
    message: "There is a limit of 1000 total recipients (to + cc + bcc) per request.",
    anchor: recipientErrors as string,
  },
  duplicateRecipient: {
    message:
      "Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of % field.",
    anchor: recipientErrors as string,
  },
  headerValues: { message: "The header values must be strings." },
  // SendGrid documents no limit.
  headerCount: { message: "There is a limit of 100 headers for each email." },
  headerKeys: { message: "Header keys cannot contain non-ASCII characters and empty spaces." },
  headerReserved: { message: "Header can not be one of the reserved keys." },
  customArgsValues: { message: "All values of custom arguments object must be strings" },
  customArgsSize: {
    message:
      "The combined size of both global and personalization custom arguments may not exceed 10,000 bytes per personalization.",
  },
  substitutionValues: {
    message: "The substitution values must be an object of key/value pairs, where the values are all strings.",
  },
  substitutionSize: { message: "You are limited to 10,000 substitutions." },
  substitutionsOfDynamic: { message: "Substitutions may not be used with dynamic templating" },
  dataOfLegacy: { message: "Cannot use dynamic template data with a legacy template ID" },
  sectionValues: { message: "The section values must be strings." },
  sendAtType: {
    message:
      "The send_at parameter is expecting a Unix timestamp as an integer. We will send immediately if you include a send_at timestamp that is in the past.",
  },
  sendAtTooLate: { message: "Scheduling more than 72 hours in advance is forbidden." },
  subjectEmpty: { message: "The subject of your email must be a string at least one character in length." },
  subjectRequired: {
    message:
      "The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.",
  },
  contentRequired: {
    message:
      "Unless a valid template_id is provided, the content parameter is required. There must be at least one defined content block. We typically suggest both text/plain and text/html blocks are included, but only one block is required.",
  },
  contentRepeated: {
    message: "If present, text/plain and text/html may only be provided once.",
    anchor: null,
  },
  contentOrder: {
    message:
      "Following RFC 1341, section 7.2, if either text/html or text/plain are to be sent in your email: text/plain needs to be first, followed by text/html, followed by any other content.",
  },
  contentType: { message: "A content type is required, this tells email clients how to display the email." },
  contentTypeCharacters: { message: "Cannot contain ';', or CRLF characters." },
  contentValue: { message: "The content value must be a string at least one character in length." },
  attachmentContent: { message: "The attachment content must be a string at least one character in length." },
  attachmentBase64: { message: "The attachment content must be base64 encoded." },
  attachmentFileName: { message: "filename is required." },
  attachmentFileNameCharacters: { message: "The filename of your attachment cannot contain CRLF characters." },
  attachmentType: { message: "The attachment type must be a string and at least one character in length." },
  attachmentTypeCharacters: { message: "The type cannot contain ';', or CRLF characters." },
  attachmentDisposition: {
    message: 'The disposition of your attachment can be either "inline" or "attachment". You provided %.',
  },
  attachmentContentId: { message: "The content ID of your attachment must be a string. You provided %." },
  attachmentContentIdCharacters: { message: "The content ID of your attachment cannot contain CRLF characters." },
  templateId: { message: "The template_id must be a valid GUID, you provided '%'." },
  templateIdType: { message: "The template ID must be a string, you provided %." },
  categoriesType: { message: "Categories must be an array of strings." },
  categoriesCount: {
    message: "There is a limit of 10 categories for each email that is sent. You provided % categories.",
  },
  categoryLength: { message: "Each category must not be longer than 255 characters. % exceeds this limit" },
  categoryRepeated: {
    message: "The categories must be a unique list, and you have included % more than once. ",
  },
  categoryAscii: { message: "Categories can not contain non-ASCII characters." },
  // Documented is only that one of the two may be used.
  replyToTwice: { message: "Use either reply_to or reply_to_list, not both." },
  groupId: { message: "The ASM group ID must be an integer." },
  groupsToDisplay: { message: "The ASM Group IDs to display must be an array of integers." },
  groupsToDisplayCount: {
    message: "There is a limit of 25 unsubscribe groups that can be displayed to a user at a time.",
  },
  poolName: { message: "The name of your IP pool must be a string." },
  // The API accepts the request and drops the mail.
  templateFailed: { message: "Must be a valid template. %", anchor: "message.template_id" },
  noServer: {
    message: "No server of this service receives mail for any of the recipients.",
    anchor: recipientErrors as string,
  },
} as const;

/** Name of an error of mail send. */
export type SendGridErrorName = keyof typeof rows;

const quotedLengthMax = 320;

/** Returns the error of a field; `value` is the rejected value, which the message shows. */
export function sendGridError(name: SendGridErrorName, field: string | null, value = ""): SendGridError {
  const { message, anchor = anchorOf(field) }: ErrorRow = rows[name];
  const help = anchor === null ? null : `${page}#${anchor}`;
  return { message: message.replace("%", () => value.slice(0, quotedLengthMax)), field, help };
}

/** Returns the fragment of the help page for a field: its path without indexes, recipients as a whole. */
export function anchorOf(field: string | null): string | null {
  if (field === null) return null;
  const names = field.split(".").filter((name) => !/^\d+$/.test(name));
  if (names.join(".") === "personalizations") return null;
  return `message.${names.join(".").replace(/\.(?:email|name)$/, "")}`;
}

function errorsResponse(status: number, errors: readonly SendGridError[]): ProviderResponse {
  return jsonResponse(status, { errors });
}

/** Returns the errors of mail send as the response. */
export function rejection(status: number, errors: readonly SendGridError[]): Rejection {
  return new Rejection(errors, () => errorsResponse(status, errors));
}

/** Returns the error of an endpoint other than mail send. */
export function plainError(status: number, message: string, field: string | null = null): Rejection {
  return rejection(status, [{ field, message }]);
}

/** Returns the error of a resource that does not exist. */
export function resourceNotFound(): Rejection {
  return plainError(404, "resource not found");
}

/** Error that is reported without a field; `errors` replaces it. Its `help`, which only mail send and fault rules have, is null. */
interface GeneralError {
  readonly status: number;
  readonly message: string;
  readonly hasHelp?: boolean;
  readonly errors?: readonly SendGridError[];
}

function shape({ status, message, hasHelp = false, errors }: GeneralError, { path }: ErrorContext): ProviderResponse {
  const isHelpShown = hasHelp || path.startsWith("/v3/mail/send");
  const error = isHelpShown ? { message, field: null, help: null } : { field: null, message };
  return errorsResponse(status, errors ?? [error]);
}

function errorOfProblem(problem: Problem, { headers }: ErrorContext): GeneralError {
  const { status } = problem.row;
  if (status >= 500) return { status, message: failureText(problem, "internal server error") };
  if (problem.code === "unauthenticated") {
    return { status, message: headers.authorization === undefined ? "authorization required" : denied };
  }
  if (problem.code === "unsupported_media_type") {
    return { status, message: "Content-Type should be application/json." };
  }
  return { status, message: generalTexts[status] ?? detailOf(problem) };
}

const denied = "The provided authorization grant is invalid, expired, or revoked";
const generalTexts: Readonly<Record<number, string>> = {
  403: "access forbidden",
  404: "resource not found",
  405: "method not allowed",
  413: "content too large",
  429: "too many requests",
};
const invalidRecipient = [sendGridError("addressInvalid", "personalizations.0.to.0.email")];
const requestsPerMinute = 600;

/** Error responses of SendGrid. */
export const sendGridErrors: ErrorResponses = errorResponses<GeneralError>({
  shape,
  ofProblem: errorOfProblem,
  faults: {
    rateLimited: { status: 429, message: "too many requests", hasHelp: true },
    unavailable: { status: 503, message: "service unavailable", hasHelp: true },
    internal: { status: 500, message: "internal server error", hasHelp: true },
    unauthorized: { status: 401, message: denied, hasHelp: true },
    invalidRecipient: { status: 400, message: "", errors: invalidRecipient },
    tooLarge: { status: 413, message: "content too large", hasHelp: true },
    timeout: { status: 504, message: "gateway timeout", hasHelp: true },
  },
  statusOf: ({ status, errors }) => (errors === undefined ? status : 0),
  ofStatus: (status, reason) => ({ status, message: reason.toLowerCase(), hasHelp: true }),
  limitHeaders: ({ now }) => ({
    "X-RateLimit-Limit": String(requestsPerMinute),
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": String((Math.floor(now / 60_000) + 1) * 60),
  }),
});
