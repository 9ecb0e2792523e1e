/** Errors of Mailtrap's APIs: https://docs.mailtrap.io/developers. Those that send have another shape than those of accounts. */
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

interface MailtrapError {
  readonly status: number;
  readonly texts: readonly string[];
  /** Errors of the fields of an object of an account. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

function shape({ status, texts, fields }: MailtrapError, { path }: Pick<ErrorContext, "path">): ProviderResponse {
  if (/^\/api\/(?:send|batch)(?:\/|$)/.test(path)) return jsonResponse(status, { success: false, errors: texts });
  if (fields !== undefined) return jsonResponse(status, { errors: fields });
  if (status === 401) return jsonResponse(status, { error: "Incorrect API token" });
  const [text = ""] = texts;
  return jsonResponse(status, status === 403 || status === 422 ? { errors: text } : { error: text });
}

function reject(failure: MailtrapError): Rejection<MailtrapError> {
  return new Rejection(failure, shape, failure.texts[0]);
}

/** Errors of requests. */
export const errors = {
  /** Error of a request with all that is wrong with it. */
  invalid: (texts: readonly string[], status = 400) => reject({ status, texts }),
  /** Error of a field of an object of an account. */
  invalidField: (field: string, text: string) => reject({ status: 422, texts: [text], fields: { [field]: [text] } }),
  notFound: () => reject(missing),
  noServer: () => reject({ status: 400, texts: ["no server of this service receives mail for the recipients"] }),
} as const;

/** Returns the texts of a rejected item of a batch. */
export function textsOf({ failure }: Rejection): readonly string[] {
  return (failure as MailtrapError).texts;
}

const unauthorized: MailtrapError = { status: 401, texts: ["Unauthorized"] };
const missing: MailtrapError = { status: 404, texts: ["Not Found"] };
const failure = "Internal server error";
/** Requests in ten seconds: https://docs.mailtrap.io/developers/rate-limits */
const requestCountMax = 150;

/** Error responses of Mailtrap. */
export const mailtrapErrors: ErrorResponses = errorResponses<MailtrapError>({
  shape,
  problems: {
    unauthenticated: unauthorized,
    forbidden: { status: 403, texts: ["Access forbidden"] },
    not_found: missing,
  },
  ofProblem: ({ row: { status }, fields: [field] }) =>
    field === undefined || status >= 429 ? undefined : { status, texts: [field.description] },
  failure,
  faults: {
    rateLimited: { status: 429, texts: ["Rate limit exceeded"] },
    internal: { status: 500, texts: [failure] },
    unauthorized,
    invalidRecipient: { status: 400, texts: ["'to' address is invalid"] },
  },
  statusOf: ({ status }) => status,
  ofStatus: (status, reason) => ({ status, texts: [reason] }),
  limitHeaders: () => ({
    "x-ratelimit-limit": String(requestCountMax),
    "x-ratelimit-remaining": "0",
    "retry-after": String(retryAfterSeconds),
  }),
});
