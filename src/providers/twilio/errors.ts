/**
 * Errors of Twilio's REST API, in Twilio's format. Those of fault rules: https://www.twilio.com/docs/api/errors/20503, …/20429 and
 * …/20500, whose causes include a timeout of the API; there is no code of its own for 504.
 */
import type { Problem } from "../../core/errors.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { failureText, jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";
import type { SubmissionRefusal } from "../sms.ts";

/** Status and message of an error by its code; `%` is replaced by the rejected value. */
const rows = {
  20003: [401, "Authenticate"],
  20404: [404, "The requested resource % was not found"],
  20429: [429, "Too Many Requests"],
  20500: [500, "Internal Server Error"],
  20503: [503, "Service Unavailable"],
  21211: [400, "The 'To' number % is not a valid phone number."],
  21212: [400, "The 'From' number % is not a valid phone number, shortcode, or alphanumeric sender ID."],
  21408: [400, "Permission to send an SMS has not been enabled for the region indicated by the 'To' number: %."],
  21602: [400, "Message body is required."],
  21603: [400, "A 'From' phone number is required."],
  21604: [400, "A 'To' phone number is required."],
  21606: [
    400,
    "The From phone number % is not a valid, SMS-capable inbound phone number or short code for your account.",
  ],
  21609: [400, "The 'StatusCallback' URL % is not a valid URL."],
  21610: [400, "Attempt to send to unsubscribed recipient %"],
  21611: [429, "This 'From' number % has exceeded the maximum number of queued messages"],
  21612: [400, "The 'To' phone number % is not currently reachable using the 'From' phone number"],
  21614: [400, "The 'To' number % is not a valid mobile number."],
  21617: [400, "The concatenated message body exceeds the 1600 character limit."],
  21620: [400, "Invalid media URL(s): %"],
  21623: [400, "Number of media files exceeds allowed limit"],
  21656: [400, "The Content Variables parameter is invalid."],
  21910: [400, "Invalid From and To pair. From and To should be of the same channel"],
  60200: [400, "Invalid parameter%"],
  60202: [429, "Max check attempts reached"],
  60203: [429, "Max send attempts reached"],
} as const;

/** Error codes of Twilio that the service responds with. */
type TwilioErrorCode = keyof typeof rows;

const quotedLengthMax = 100;

/** Error of the API. */
interface TwilioError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

function errorOf(code: TwilioErrorCode, value = ""): TwilioError {
  const [status, message] = rows[code];
  return { status, code, message: message.replace("%", () => value.slice(0, quotedLengthMax)).trim() };
}

function shape({ status, code, message }: TwilioError): ProviderResponse {
  return jsonResponse(status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status });
}

/** Returns the error with this code; `value` is the rejected value, which the message shows. */
export function rejection(code: TwilioErrorCode, value?: string): Rejection {
  const error = errorOf(code, value);
  return new Rejection(error, shape, error.message);
}

/** Returns the error of Verify and Content for a resource that does not exist; its path is shown without the version. */
export function resourceNotFound(): Rejection {
  return new Rejection(20404, (_, { path }) => shape(errorOf(20404, path.replace(/^\/v2/, ""))));
}

/** Magic numbers that cause an error (Twilio: Test credentials). */
const magicSenders: ReadonlyMap<string, TwilioErrorCode> = new Map([
  ["+15005550001", 21212],
  ["+15005550007", 21606],
  ["+15005550008", 21611],
]);
const magicRecipients: ReadonlyMap<string, TwilioErrorCode> = new Map([
  ["+15005550001", 21211],
  ["+15005550002", 21612],
  ["+15005550003", 21408],
  ["+15005550004", 21610],
  ["+15005550009", 21614],
]);

/** Throws the error of Twilio's magic numbers, the sender's first. */
export function checkMagicNumbers(ends: { readonly from: string; readonly to: string }): void {
  const senderCode = magicSenders.get(ends.from);
  const recipientCode = magicRecipients.get(ends.to);
  if (senderCode !== undefined) throw rejection(senderCode, ends.from);
  if (recipientCode !== undefined) throw rejection(recipientCode, ends.to);
}

/** Error for each reason to refuse a message. */
export const refusalCodes: Readonly<Record<SubmissionRefusal, TwilioErrorCode>> = {
  no_server: 21211,
  unsubscribed: 21610,
  callback: 21609,
};

/** Returns the error for a problem; those of Verify, below `/v2`, have its codes. */
function errorOfProblem(problem: Problem, { path }: ErrorContext): TwilioError {
  const { code, row } = problem;
  const isVerify = path.startsWith("/v2/");
  if (row.status >= 500) return { ...internal, message: failureText(problem, internal.message) };
  if (code === "unauthenticated" || code === "forbidden") return errorOf(20003);
  if (row.status === 429) return errorOf(20429);
  if (isVerify && row.status !== 404 && row.status !== 405) return errorOf(60200);
  if (isVerify) return errorOf(20404, path.slice("/v2".length));
  return errorOf(code === "not_found" ? 20404 : 21211);
}

const internal = errorOf(20500);
const timedOut: TwilioError = { ...internal, status: 504, message: "Gateway Timeout" };
/** Errors of fault rules that cause a status, besides a timeout. */
const known = ([20003, 20404, 20429, 20500, 20503] as const).map((code) => errorOf(code));

/** Errors that Verify, below `/v2`, reports by the code for invalid parameters. */
function inVerify(error: TwilioError): TwilioError {
  return error.code === 21211 || error.code === 21617 ? errorOf(60200, " `To`") : error;
}

/** Error responses of Twilio. */
export const twilioErrors: ErrorResponses = errorResponses<TwilioError>({
  shape: (error, { path }) => shape(path.startsWith("/v2/") ? inVerify(error) : error),
  ofProblem: errorOfProblem,
  faults: { invalidRecipient: errorOf(21211), tooLarge: errorOf(21617) },
  ofStatus: (status, message) =>
    [timedOut, ...known].find((one) => one.status === status) ?? { status, code: 20_000 + status, message },
});
