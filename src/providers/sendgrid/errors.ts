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

const recipientErrors = "message.recipient-errors";

/** Texts of the errors of mail send by name; `%` is replaced by the rejected value. */
const texts = {
  badRequest: "Bad Request",
  invalidType: "Invalid type. Expected: %.",
  batchId: "The batch_id must be a string.",
  // The API's own text for a from address of another domain is not documented.
  fromDomain: "The domain of the from address must match the domain of the message's from address.",
  fromRequired:
    `The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.  e.g. ${example}.` as string,
  fromInvalid: "The from email does not contain a valid address.",
  addressInvalid: "Does not contain a valid address.",
  addressTooLong: "The % email exceeds the maximum total length of 320 characters",
  addressRequired: "The % email parameter is required.",
  personalizationsRequired: "The personalizations field is required and must have at least one personalization.",
  tooManyPersonalizations:
    "The personalization block is limited to 1000 personalizations per API request. You have provided % personalizations. Please consider splitting this into multiple requests and resending your request.",
  toRequired:
    "The to array is required for all personalization objects, and must have at least one email object with a valid email address.",
  copyRequired:
    `The % array, when used, must at least have an email parameter with a valid email address and it may also contain a name parameter. e.g. ${example}.` as string,
  tooManyRecipients: "There is a limit of 1000 total recipients (to + cc + bcc) per request.",
  duplicateRecipient:
    "Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of % field.",
  headerValues: "The header values must be strings.",
  // SendGrid documents no limit.
  headerCount: "There is a limit of 100 headers for each email.",
  headerKeys: "Header keys cannot contain non-ASCII characters and empty spaces.",
  headerReserved: "Header can not be one of the reserved keys.",
  customArgsValues: "All values of custom arguments object must be strings",
  customArgsSize:
    "The combined size of both global and personalization custom arguments may not exceed 10,000 bytes per personalization.",
  substitutionValues: "The substitution values must be an object of key/value pairs, where the values are all strings.",
  substitutionSize: "You are limited to 10,000 substitutions.",
  substitutionsOfDynamic: "Substitutions may not be used with dynamic templating",
  dataOfLegacy: "Cannot use dynamic template data with a legacy template ID",
  sectionValues: "The section values must be strings.",
  sendAtType:
    "The send_at parameter is expecting a Unix timestamp as an integer. We will send immediately if you include a send_at timestamp that is in the past.",
  sendAtTooLate: "Scheduling more than 72 hours in advance is forbidden.",
  subjectEmpty: "The subject of your email must be a string at least one character in length.",
  subjectRequired:
    "The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.",
  contentRequired:
    "Unless a valid template_id is provided, the content parameter is required. There must be at least one defined content block. We typically suggest both text/plain and text/html blocks are included, but only one block is required.",
  contentRepeated: "If present, text/plain and text/html may only be provided once.",
  contentOrder:
    "Following RFC 1341, section 7.2, if either text/html or text/plain are to be sent in your email: text/plain needs to be first, followed by text/html, followed by any other content.",
  contentType: "A content type is required, this tells email clients how to display the email.",
  contentTypeCharacters: "Cannot contain ';', or CRLF characters.",
  contentValue: "The content value must be a string at least one character in length.",
  attachmentContent: "The attachment content must be a string at least one character in length.",
  attachmentBase64: "The attachment content must be base64 encoded.",
  attachmentFileName: "filename is required.",
  attachmentFileNameCharacters: "The filename of your attachment cannot contain CRLF characters.",
  attachmentType: "The attachment type must be a string and at least one character in length.",
  attachmentTypeCharacters: "The type cannot contain ';', or CRLF characters.",
  attachmentDisposition: 'The disposition of your attachment can be either "inline" or "attachment". You provided %.',
  attachmentContentId: "The content ID of your attachment must be a string. You provided %.",
  attachmentContentIdCharacters: "The content ID of your attachment cannot contain CRLF characters.",
  templateId: "The template_id must be a valid GUID, you provided '%'.",
  templateIdType: "The template ID must be a string, you provided %.",
  categoriesType: "Categories must be an array of strings.",
  categoriesCount: "There is a limit of 10 categories for each email that is sent. You provided % categories.",
  categoryLength: "Each category must not be longer than 255 characters. % exceeds this limit",
  categoryRepeated: "The categories must be a unique list, and you have included % more than once. ",
  categoryAscii: "Categories can not contain non-ASCII characters.",
  // Documented is only that one of the two may be used.
  replyToTwice: "Use either reply_to or reply_to_list, not both.",
  groupId: "The ASM group ID must be an integer.",
  groupsToDisplay: "The ASM Group IDs to display must be an array of integers.",
  groupsToDisplayCount: "There is a limit of 25 unsubscribe groups that can be displayed to a user at a time.",
  poolName: "The name of your IP pool must be a string.",
  // The API accepts the request and drops the mail.
  templateFailed: "Must be a valid template. %",
  noServer: "No server of this service receives mail for any of the recipients.",
};

/** Fragment of the help page by name, null for no help; by default that of the field. */
const anchors: Partial<Readonly<Record<SendGridErrorName, string | null>>> = {
  badRequest: null,
  personalizationsRequired: "-Personalizations-Errors",
  tooManyPersonalizations: "-Personalizations-Errors",
  tooManyRecipients: recipientErrors,
  duplicateRecipient: recipientErrors,
  contentRepeated: null,
  templateFailed: "message.template_id",
  noServer: recipientErrors,
};

/** Name of an error of mail send. */
export type SendGridErrorName = keyof typeof texts;

const quotedLengthMax = 320;

/** Returns the error of a field; `value` is the rejected value, which the message shows. */
export function sendGridError(name: SendGridErrorName, field: string | null, value = ""): SendGridError {
  const { [name]: anchor = anchorOf(field) } = anchors;
  const help = anchor === null ? null : `${page}#${anchor}`;
  return { message: texts[name].replace("%", () => value.slice(0, quotedLengthMax)), field, help };
}

/** Returns the fragment of the help page for a field: its path without indexes, recipients as a whole. */
function anchorOf(field: string | null): string | null {
  if (field === null) return null;
  const names = field.split(".").filter((name) => !/^\d+$/.test(name));
  if (names.join(".") === "personalizations") return null;
  return `message.${names.join(".").replace(/\.(?:email|name)$/, "")}`;
}

/** Returns the errors of mail send as the response. */
export function rejection(status: number, errors: readonly SendGridError[]): Rejection {
  return new Rejection(errors, () => jsonResponse(status, { errors }));
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
  return jsonResponse(status, { errors: errors ?? [error] });
}

function errorOfProblem(problem: Problem, { headers }: ErrorContext): GeneralError {
  const { status } = problem.row;
  if (status >= 500) return { status, message: failureText(problem, "internal server error") };
  if (problem.code === "unauthenticated") {
    return { status, message: headers.authorization === undefined ? "authorization required" : denied };
  }
  return { status, message: generalTexts[status] ?? detailOf(problem) };
}

const denied = "The provided authorization grant is invalid, expired, or revoked";
const generalTexts: Readonly<Record<number, string>> = {
  403: "access forbidden",
  404: "resource not found",
  405: "method not allowed",
  413: "content too large",
  415: "Content-Type should be application/json.",
  429: "too many requests",
};
const invalidRecipient = [sendGridError("addressInvalid", "personalizations.0.to.0.email")];
const requestsPerMinute = 600;

/** Error responses of SendGrid. */
export const sendGridErrors: ErrorResponses = errorResponses<GeneralError>({
  shape,
  ofProblem: errorOfProblem,
  faults: {
    unauthorized: { status: 401, message: denied, hasHelp: true },
    invalidRecipient: { status: 400, message: "", errors: invalidRecipient },
    tooLarge: { status: 413, message: "content too large", hasHelp: true },
  },
  statusOf: ({ status, errors }) => (errors === undefined ? status : 0),
  ofStatus: (status, reason) => ({ status, message: reason.toLowerCase(), hasHelp: true }),
  limitHeaders: ({ now }) => ({
    "X-RateLimit-Limit": String(requestsPerMinute),
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": String((Math.floor(now / 60_000) + 1) * 60),
  }),
});
