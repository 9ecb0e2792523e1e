/**
 * Errors of Mailgun's API: the HTTP status, and `{"message": …}`. Texts as Mailgun documents them
 * (https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages), those of templates as the server of
 * its Go SDK's tests has them; the texts marked as own are not documented by Mailgun.
 * A response with 429 says when to repeat the request
 * (https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses).
 */
import { notFound, Problem, type ProblemCode } from "../../core/errors.ts";
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";

const echoLengthMax = 200;

/** Shortens a value that an error repeats. */
function echo(text: string): string {
  return text.slice(0, echoLengthMax);
}

/** Texts of the errors. */
export const texts = {
  fromMissing: "from parameter is missing",
  toMissing: "to parameter is missing",
  messageMissing: "message parameter is missing",
  invalidAddress: (field: string) => `${field} parameter is not a valid address. please check documentation`,
  noBody: "Need at least one of 'text', 'html', 'amp-html' or 'template' parameters specified",
  htmlAndTemplate: "Only one parameters 'html' or 'template' is allowed",
  optionsTooLong: "Send options (parameters starting with o:, h:, or v:) are limited to 16KB total",
  tooManyRecipients: "Too many recipients, max is 1000",
  invalidHeaderName: (name: string) => `Header name must be pure ASCII: ${echo(name)}`,
  invalidDate: (text: string) => `${echo(text)} is not an RFC-2822 compliant date`,
  invalidJson: (field: string) => `'${field}' parameter is not a valid JSON`,
  notAFile: (field: string) => `'${field}' parameter is not a file`,
  malformedForm: "malformed multipart/form-data request",
  wrongContentType: (type: string) =>
    `Invalid request content type. Expecting 'multipart/form-data' but got '${echo(type)}'`,
  domainNotFound: (domain: string) => `Domain not found: ${echo(domain)}`,
  templateNotFound: "template not found",
  versionNotFound: "template version not found",
  versionExists: (tag: string) => `version ${echo(tag)} already exists`,
  parameterMissing: (name: string) => `Missing mandatory parameter: ${name}`,
  parameterInvalid: (name: string) => `Invalid parameter: ${name} is invalid`,
  unsupportedEngine: (engine: string) => `Invalid parameter: engine ${echo(engine)} is not supported`,
  nothingToUpdate: "No fields are provided to update",
  messageNotFound: "Message not found",
  /** Own. */
  templateExists: (name: string) => `template with name '${echo(name)}' already exists`,
  /** Own. */
  tooManyTemplates: "maximum number of templates reached",
  /** Own. */
  tooManyVersions: "maximum number of versions reached",
  /** Own. */
  tooLate: "o:deliverytime must be within 7 days",
  /** Own. */
  batchTooLarge: "The messages of all recipients together exceed 50MB; use fewer recipients or smaller attachments",
  /** Own. */
  noServer: (domain: string) =>
    `Domain ${echo(domain)} is not allowed to send: no server of this service receives mail for the recipients`,
} as const;

/** Returns the error with a text; a 400 by default. */
export function mailgunError(text: string, code: ProblemCode = "invalid_request"): Problem {
  return new Problem(code, { text });
}

const pathNotFound = notFound("Path").message;

/** Error; unknown keys and unknown paths get plain text, as Mailgun's servers send it. */
interface MailgunError {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number | null;
}

function shape({ status, message, retryAfterSeconds: seconds = null }: MailgunError, path: string): ProviderResponse {
  if (status === 401) return unauthenticated(path);
  const response =
    message === pathNotFound ? plainText(404, "404 page not found\n") : jsonResponse(status, { message });
  return seconds === null ? response : { ...response, headers: { "retry-after": String(seconds) } };
}

function unauthenticated(path: string): ProviderResponse {
  const isDomainsApi = /^\/v\d\/domains(?:\/[^/]*)?$/.test(path);
  const response = isDomainsApi ? jsonResponse(401, { message: "Invalid private key" }) : plainText(401, "Forbidden");
  return { ...response, headers: { "www-authenticate": 'Basic realm="MG API"' } };
}

function plainText(status: number, text: string): ProviderResponse {
  return { status, body: { contentType: "text/plain; charset=utf-8", text } };
}

/** Error responses of Mailgun. */
export const mailgunErrors: ErrorResponses = errorResponses<MailgunError>({
  shape: (error, { path }) => shape(error, path),
  ofProblem: ({ row: { status }, fields: [field], message, retryAfterSeconds: seconds }) => ({
    status,
    message: field === undefined ? message : `${field.field} ${field.description}`,
    retryAfterSeconds: seconds,
  }),
  faults: {
    rateLimited: { status: 429, message: "Too many requests" },
    unauthorized: { status: 401, message: "" },
    invalidRecipient: { status: 400, message: texts.invalidAddress("to") },
    tooLarge: { status: 413, message: "Request Entity Too Large" },
  },
  ofStatus: (status, message) => ({ status, message }),
  limitHeaders: () => ({ "retry-after": String(retryAfterSeconds) }),
});
