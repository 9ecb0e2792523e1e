/** Errors of Mailtrap's APIs: https://docs.mailtrap.io/developers. Those that send have another shape than those of accounts. */
import type { ProblemCode } from "../../core/errors.ts";
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { failureText, jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

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

/** Returns the error of a request, with all that is wrong with it. */
export function invalid(texts: readonly string[], status = 400): Rejection<MailtrapError> {
  return new Rejection({ status, texts }, shape, texts[0]);
}

/** Returns the error of a field of an object of an account. */
export function invalidField(field: string, text: string): Rejection<MailtrapError> {
  return new Rejection({ status: 422, texts: [text], fields: { [field]: [text] } }, shape, text);
}

/** Returns the error of an object that does not exist. */
export function notFound(): Rejection<MailtrapError> {
  return invalid(["Not Found"], 404);
}

/** Returns the texts of a rejected item of a batch. */
export function textsOf({ failure }: Rejection): readonly string[] {
  return (failure as MailtrapError).texts;
}

/** Error of mail that no server receives. */
export const noServer: Rejection<MailtrapError> = invalid([
  "no server of this service receives mail for the recipients",
]);

const byProblem: Partial<Readonly<Record<ProblemCode, MailtrapError>>> = {
  unauthenticated: { status: 401, texts: ["Unauthorized"] },
  forbidden: { status: 403, texts: ["Access forbidden"] },
  not_found: { status: 404, texts: ["Not Found"] },
};

const rateLimited: MailtrapError = { status: 429, texts: ["Rate limit exceeded"] };
const internal: MailtrapError = { status: 500, texts: ["Internal server error"] };
/** Requests in ten seconds: https://docs.mailtrap.io/developers/rate-limits */
const requestCountMax = 150;

/** Error responses of Mailtrap. */
export const mailtrapErrors: ErrorResponses = errorResponses<MailtrapError>({
  shape,
  ofProblem: (problem) => {
    const { code, row, message, fields } = problem;
    const known = byProblem[code] ?? (row.status === 429 ? rateLimited : undefined);
    if (known !== undefined) return known;
    const text = row.status < 500 ? (fields[0]?.description ?? message) : failureText(problem, internal.texts[0] ?? "");
    return { status: row.status, texts: [text] };
  },
  faults: {
    rateLimited,
    internal,
    unauthorized: { status: 401, texts: ["Unauthorized"] },
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
