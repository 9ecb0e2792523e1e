/**
 * Errors of Mailjet's APIs. Send API v3.1 reports issues by message, with the codes of
 * https://dev.mailjet.com/email/guides/send-api-v31/#send-api-errors; the others respond with one text. Texts marked as own are
 * not documented by Mailjet.
 */
import { randomUUID } from "node:crypto";
import { notFound, Problem } from "../../core/errors.ts";
import { jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Codes of the issues that the service reports. */
export type IssueCode =
  | "mj-0002"
  | "mj-0003"
  | "mj-0004"
  | "mj-0005"
  | "mj-0006"
  | "mj-0007"
  | "mj-0008"
  | "mj-0011"
  | "mj-0012"
  | "mj-0013"
  | "send-0003"
  | "send-0004"
  | "send-0011"
  | "send-0012"
  | "send-0015"
  | "send-0016"
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

/** Returns an issue as the API shows it. */
export function issueWire({ code, text, relatedTo }: Issue): Readonly<Record<string, unknown>> {
  return {
    ErrorIdentifier: randomUUID(),
    ErrorCode: code,
    StatusCode: 400,
    ErrorMessage: text,
    ErrorRelatedTo: relatedTo,
  };
}

/** Returns a 400 that Mailjet's APIs other than Send API v3.1 report. */
export function invalid(text: string): Problem {
  return new Problem("invalid_request", { text });
}

/** Returns the 404 of an object. */
export function objectNotFound(): Problem {
  return new Problem("not_found", { text: texts.notFound });
}

const routerText = notFound("Path").message;

/** Returns Mailjet's response for a problem, in the form of the API that the path belongs to. */
export function mailjetErrorResponse(problem: Problem, { path }: ErrorContext): ProviderResponse {
  const { status } = problem.row;
  const message = textOf(problem);
  const { retryAfterSeconds } = problem;
  const response = path.startsWith("/v3.1/")
    ? jsonResponse(status, {
        ErrorIdentifier: randomUUID(),
        ...codeOf(problem),
        ErrorMessage: message,
        StatusCode: status,
      })
    : jsonResponse(status, { ErrorInfo: "", ErrorMessage: message, StatusCode: status });
  if (retryAfterSeconds === null) return response;
  return { ...response, headers: { "retry-after": String(retryAfterSeconds) } };
}

function textOf(problem: Problem): string {
  const { status } = problem.row;
  if (status === 401) return texts.unauthorized;
  if (status === 404) return problem.message === routerText ? "Unknown resource" : texts.notFound;
  const [field] = problem.fields;
  return field === undefined ? problem.message : `${field.field} ${field.description}`;
}

function codeOf({ row: { status }, message }: Problem): { readonly ErrorCode?: IssueCode } {
  if (status === 413) return { ErrorCode: "mj-0011" };
  return message === texts.malformedJson ? { ErrorCode: "mj-0002" } : {};
}
