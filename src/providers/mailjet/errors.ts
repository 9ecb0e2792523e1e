/**
 * Errors of Mailjet's APIs. Send API v3.1 reports issues by message, with the codes of
 * https://dev.mailjet.com/email/guides/send-api-v31/#send-api-errors; the others respond with one text. Texts marked as own are
 * not documented by Mailjet. Statuses: https://dev.mailjet.com/docs/email-api/email_api_overview/status_codes; no header field
 * of rate limits is documented (https://dev.mailjet.com/reference/overview/rate-limits/).
 */
import { randomUUID } from "node:crypto";
import { notFound, type Problem } from "../../core/errors.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Code of an issue. */
export type IssueCode =
  | `mj-00${string}`
  | `send-00${string}`
  /** Own: Mailjet reports it by mail. */
  | "template-language"
  /** Own. */
  | "no-server";

/** Invalid property of a message. */
export interface Issue {
  readonly code: IssueCode;
  readonly text: string;
  /** Paths of properties, `To[0].Email`. */
  readonly relatedTo: readonly string[];
}

/** Adds an issue to those of a message. */
export type Report = (code: IssueCode, text: string, ...relatedTo: readonly string[]) => void;

const echoLengthMax = 200;

/** Texts of the issues. */
export const texts = {
  malformedJson: "Malformed JSON, please review the syntax and properties types.",
  missing: "Missing mandatory property.",
  typeMismatch: (type: string) => `Type mismatch. Expected type "${type}".`,
  invalidAddress: (address: string) => `"${address.slice(0, echoLengthMax)}" is an invalid email address.`,
  noBody: 'At least "HTMLPart", "TextPart" or "TemplateID" must be provided.',
  /** Own. */
  notAllowed: (values: readonly string[]) => `Value is not allowed. Allowed values: ${values.join(", ")}.`,
  /** Own. */
  tooLong: (lengthMax: number) => `Value has more than ${lengthMax} characters.`,
  /** Own. */
  emptyArray: "Array must not be empty.",
  /** Own. */
  tooMany: (countMax: number) => `Array has more than ${countMax} elements.`,
  /** Own. */
  filesTooLarge: "Attachments together exceed 15 MB.",
  /** Own. */
  emptyText: "Value must not be empty.",
  /** Own. */
  twoHtmlParts: "HTMLPart is provided, and the template has an HTML part too.",
  /** Own. */
  forbiddenHeader: (name: string) => `Header "${name.slice(0, echoLengthMax)}" cannot be customized.`,
  /** Own. */
  noCampaign: "DeduplicateCampaign requires CustomCampaign.",
  /** Own. */
  tooManyRecipients: "Total number of recipients exceeds 50.",
  /** Own. */
  noTemplateLanguage: "TemplateLanguage is required.",
  /** Own. */
  noServer: "No server of this service receives mail for the recipients.",
  unauthorized:
    "API key authentication/authorization failure. You may be unauthorized to access the API or your API key may be expired. Visit API keys management section to check your keys.",
  notFound: "Object not found",
  noSenderV3: "At least FromEmail or Sender must be provided",
  /** Own. */
  noRecipientV3: "At least one recipient must be provided",
  /** Own. */
  noBodyV3: "At least Html-part, Text-part or Mj-TemplateID must be provided",
  templateExists: (name: string) =>
    `MJ18 A Template resource with value "${name.slice(0, echoLengthMax)}" for Name already exists.`,
} as const;

/** Returns a 400 that Mailjet's APIs other than Send API v3.1 report. */
export function invalid(text: string): Rejection {
  const code = text === texts.malformedJson ? { code: "mj-0002" as const } : {};
  return new Rejection<MailjetError>({ status: 400, message: text, ...code }, shape, text);
}

/** Returns the 404 of an object. */
export function objectNotFound(): Rejection {
  return new Rejection<MailjetError>({ status: 404, message: texts.notFound }, shape);
}

const routerText = notFound("Path").message;

/** Error of an API: of Send API v3.1 with a code and a header field, unless a fault rule causes it; or issues of a message. */
interface MailjetError {
  readonly status: number;
  readonly message: string;
  readonly code?: IssueCode;
  readonly retryAfterSeconds?: number | null;
  readonly issues?: readonly Issue[];
}

/** Returns the rejection of a message with issues. */
export function rejection(issues: readonly Issue[]): Rejection {
  return new Rejection({ status: 400, message: issues[0]?.text ?? "", issues }, shape);
}

/** Collects issues; `check` throws the rejection for them. */
export function collectIssues(): { readonly issues: Issue[]; readonly report: Report; readonly check: () => void } {
  const issues: Issue[] = [];
  const check = (): void => {
    if (issues.length > 0) throw rejection(issues);
  };
  return { issues, check, report: (code, text, ...relatedTo) => void issues.push({ code, text, relatedTo }) };
}

/** Returns the issues as Send API v3.1 shows them. */
export function issuesWire(issues: readonly Issue[]): readonly JsonObject[] {
  return issues.map(({ code, text, relatedTo }) => ({
    ErrorIdentifier: randomUUID(),
    ErrorCode: code,
    StatusCode: 400,
    ErrorMessage: text,
    ErrorRelatedTo: relatedTo,
  }));
}

/** Returns the JSON of a rejected message. */
export function failedWire({ failure }: Pick<Rejection, "failure">): JsonObject {
  return { Status: "error", Errors: issuesWire((failure as MailjetError).issues ?? []) };
}

/** Returns an error in the form of the API that the path belongs to. */
function shape(error: MailjetError, { path }: ErrorContext): ProviderResponse {
  const { status, message, code, issues, retryAfterSeconds = null } = error;
  const isV31 = path.startsWith("/v3.1/");
  if (isV31 && issues !== undefined) return jsonResponse(status, { Messages: [failedWire({ failure: error })] });
  const own = isV31
    ? { ErrorIdentifier: randomUUID(), ...(code !== undefined && { ErrorCode: code }) }
    : { ErrorInfo: "" };
  const response = jsonResponse(status, { ...own, ErrorMessage: message, StatusCode: status });
  if (retryAfterSeconds === null) return response;
  return { ...response, headers: { "retry-after": String(retryAfterSeconds) } };
}

function textOf({ row: { status }, fields: [field], message }: Problem): string {
  if (status === 401) return texts.unauthorized;
  if (status === 404) return message === routerText ? "Unknown resource" : texts.notFound;
  return field === undefined ? message : `${field.field} ${field.description}`;
}

const invalidRecipient = texts.invalidAddress("");

/** Error responses of Mailjet. */
export const mailjetErrors: ErrorResponses = errorResponses<MailjetError>({
  shape,
  ofProblem: (problem) => {
    const { row, retryAfterSeconds } = problem;
    const code = row.status === 413 ? { code: "mj-0011" as const } : {};
    return { status: row.status, message: textOf(problem), ...code, retryAfterSeconds };
  },
  faults: {
    rateLimited: { status: 429, message: "Too many requests" },
    unauthorized: { status: 401, message: texts.unauthorized },
    invalidRecipient: {
      status: 400,
      message: invalidRecipient,
      issues: [{ code: "mj-0013", text: invalidRecipient, relatedTo: ["To[0].Email"] }],
    },
    tooLarge: { status: 413, message: "Request Entity Too Large" },
  },
  statusOf: ({ status, issues }) => (issues === undefined ? status : 0),
  ofStatus: (status, message) => ({ status, message }),
});
