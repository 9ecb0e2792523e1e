/** Errors of MailerSend's API: https://developers.mailersend.com/general#api-error-codes */
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Field of a request in dot notation, and its error. */
export type Issue = readonly [field: string, text: string];

interface MailerSendError {
  readonly status: number;
  readonly message: string;
  /** Errors by field; absent when no field has one. */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

function shape({ status, ...body }: MailerSendError, { path }: Pick<ErrorContext, "path">): ProviderResponse {
  return jsonResponse(status, { ...body, message: body.message.replace(limitPlace, String(limitOf(path))) });
}

/** Returns the message of a validation error: the first text, and the number of the others. */
function validation(issues: readonly Issue[]): MailerSendError {
  const errors = Map.groupBy(issues, ([field]) => field);
  const texts = Array.from(errors, ([field, own]) => [field, own.map(([, text]) => text)] as const);
  const more = issues.length - 1;
  const rest = more === 0 ? "" : ` (and ${more} more error${more === 1 ? "" : "s"})`;
  return { status: 422, message: `${issues[0]?.[1] ?? ""}${rest}`, errors: Object.fromEntries(texts) };
}

/** Returns the validation error of a request, with the errors of all fields. */
export function invalid(...issues: readonly [Issue, ...Issue[]]): Rejection<MailerSendError> {
  return new Rejection(validation(issues), shape, issues[0][1]);
}

/** Throws the validation error of a request, unless no field has an error. */
export function throwIssues([first, ...others]: readonly Issue[]): void {
  if (first !== undefined) throw invalid(first, ...others);
}

/** Returns an error that concerns no field. */
export function rejection(status: number, message: string): Rejection<MailerSendError> {
  return new Rejection({ status, message }, shape, message);
}

/** Returns the errors of a rejected item of a bulk request, by field. */
export function errorsOf({ failure }: Rejection): Readonly<Record<string, readonly string[]>> {
  const { message, errors } = failure as MailerSendError;
  return errors ?? { message: [message] };
}

/** Returns the error of an object that does not exist. */
export function notFound(): Rejection<MailerSendError> {
  return rejection(404, "Resource not found.");
}

/** Error of mail that no server receives. */
export const noServer: Rejection<MailerSendError> = invalid([
  "to",
  "No server of this service receives mail for the recipients.",
]);

/** Place of the limit of a path in an error. */
const limitPlace = "{limit}";

const unauthenticated: MailerSendError = { status: 401, message: "Unauthenticated." };
const internal: MailerSendError = { status: 500, message: "Server Error" };

/** Returns the requests that the path may have in a minute. */
function limitOf(path: string): number {
  if (path === "/v1/email") return 120;
  return path.startsWith("/v1/bulk-email") ? 10 : 60;
}

/** Error responses of MailerSend. */
export const mailerSendErrors: ErrorResponses = errorResponses<MailerSendError>({
  shape,
  problems: {
    unauthenticated,
    forbidden: {
      status: 403,
      message: "The custom API token you're using doesn't have the required permissions. #MS40301",
    },
    not_found: notFound().failure,
    limit_reached: {
      status: 429,
      message: "Your account reached its API daily quota limit. Upgrade to increase it. #MS42901",
    },
  },
  ofProblem: ({ code, fields: [field] }) =>
    code === "invalid_request" && field !== undefined ? validation([[field.field, field.description]]) : undefined,
  failure: internal.message,
  faults: {
    rateLimited: {
      status: 429,
      message: `Your account reached its rate limit of ${limitPlace} requests/min. Please wait before trying again. #MS42903`,
    },
    internal,
    unauthorized: unauthenticated,
    invalidRecipient: validation([["to.0.email", "The to.0.email must be a valid email address. #MS42208"]]),
  },
  statusOf: ({ status }) => status,
  ofStatus: (status, message) => ({ status, message }),
  limitHeaders: ({ now, path }) => ({
    "x-ratelimit-limit": String(limitOf(path)),
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(Math.floor(now / 1000) + retryAfterSeconds),
    "retry-after": String(retryAfterSeconds),
  }),
});
