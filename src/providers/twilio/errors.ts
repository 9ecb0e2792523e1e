/** Errors of Twilio's REST API, in Twilio's format. */
import type { Problem } from "../../core/errors.ts";
import { failureText, jsonResponse, type ProviderResponse } from "../provider.ts";
import type { SubmissionRefusal } from "../sms.ts";

/** Error codes of Twilio that the service responds with. */
export type TwilioErrorCode =
  | 20003
  | 20404
  | 20429
  | 20500
  | 20503
  | 21211
  | 21212
  | 21408
  | 21602
  | 21603
  | 21604
  | 21606
  | 21609
  | 21610
  | 21611
  | 21612
  | 21614
  | 21617
  | 21620
  | 21623
  | 21656
  | 21910
  | 60200
  | 60202
  | 60203;

interface ErrorRow {
  readonly status: number;
  /** `%` is replaced by the rejected value. */
  readonly message: string;
}

const rows: Readonly<Record<TwilioErrorCode, ErrorRow>> = {
  20003: { status: 401, message: "Authenticate" },
  20404: { status: 404, message: "The requested resource % was not found" },
  20429: { status: 429, message: "Too Many Requests" },
  20500: { status: 500, message: "Internal Server Error" },
  20503: { status: 503, message: "Service Unavailable" },
  21211: { status: 400, message: "The 'To' number % is not a valid phone number." },
  21212: {
    status: 400,
    message: "The 'From' number % is not a valid phone number, shortcode, or alphanumeric sender ID.",
  },
  21408: {
    status: 400,
    message: "Permission to send an SMS has not been enabled for the region indicated by the 'To' number: %.",
  },
  21602: { status: 400, message: "Message body is required." },
  21603: { status: 400, message: "A 'From' phone number is required." },
  21604: { status: 400, message: "A 'To' phone number is required." },
  21606: {
    status: 400,
    message: "The From phone number % is not a valid, SMS-capable inbound phone number or short code for your account.",
  },
  21609: { status: 400, message: "The 'StatusCallback' URL % is not a valid URL." },
  21610: { status: 400, message: "Attempt to send to unsubscribed recipient %" },
  21611: { status: 429, message: "This 'From' number % has exceeded the maximum number of queued messages" },
  21612: { status: 400, message: "The 'To' phone number % is not currently reachable using the 'From' phone number" },
  21614: { status: 400, message: "The 'To' number % is not a valid mobile number." },
  21617: { status: 400, message: "The concatenated message body exceeds the 1600 character limit." },
  21620: { status: 400, message: "Invalid media URL(s): %" },
  21623: { status: 400, message: "Number of media files exceeds allowed limit" },
  21656: { status: 400, message: "The Content Variables parameter is invalid." },
  21910: { status: 400, message: "Invalid From and To pair. From and To should be of the same channel" },
  60200: { status: 400, message: "Invalid parameter%" },
  60202: { status: 429, message: "Max check attempts reached" },
  60203: { status: 429, message: "Max send attempts reached" },
};
const quotedLengthMax = 100;

/** Error response: HTTP status and JSON body. */
export interface TwilioError {
  readonly status: number;
  readonly body: {
    readonly code: TwilioErrorCode;
    readonly message: string;
    readonly more_info: string;
    readonly status: number;
  };
}

/** Returns the error with this code; `value` is the rejected value, which the message shows. */
export function twilioError(code: TwilioErrorCode, value = ""): TwilioError {
  const { status, message } = rows[code];
  const shown = message.replace("%", () => value.slice(0, quotedLengthMax)).trim();
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status, body: { code, message: shown, more_info, status } };
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

/** Returns the error of Twilio's magic numbers, the sender's first; undefined for all other numbers. */
export function magicNumberError(ends: { readonly from: string; readonly to: string }): TwilioError | undefined {
  const senderCode = magicSenders.get(ends.from);
  const recipientCode = magicRecipients.get(ends.to);
  if (senderCode !== undefined) return twilioError(senderCode, ends.from);
  return recipientCode === undefined ? undefined : twilioError(recipientCode, ends.to);
}

/** Returns an error as a response. */
export function twilioErrorResponse({ status, body }: TwilioError): ProviderResponse {
  return jsonResponse(status, body);
}

/** Error for each reason to refuse a message. */
export const refusalCodes: Readonly<Record<SubmissionRefusal, TwilioErrorCode>> = {
  no_server: 21211,
  unsubscribed: 21610,
  callback: 21609,
};

/** Error of Twilio Verify for each reason to refuse the message with the code; passed the number or address. */
export const verifyRefusals: Readonly<Record<SubmissionRefusal, (to: string) => TwilioError>> = {
  no_server: (to) => twilioError(60200, ` \`To\`: ${to}`),
  unsubscribed: (to) => twilioError(21610, to),
  // The messages of Verify have no callback.
  callback: (to) => twilioError(60200, ` \`To\`: ${to}`),
};

/** Returns Twilio's error for a failure of the service. */
export function twilioFailure(problem: Problem): TwilioError {
  const { status, body } = twilioError(20500);
  return { status, body: { ...body, message: failureText(problem, body.message) } };
}

/** Returns Twilio's error for a problem of the service; those of Verify, below `/v2`, have its codes. */
export function twilioErrorOf({ code, row }: Problem, path: string): TwilioError {
  const isVerify = path.startsWith("/v2/");
  if (code === "unauthenticated" || code === "forbidden") return twilioError(20003);
  if (row.status === 429) return twilioError(20429);
  if (isVerify && row.status !== 404 && row.status !== 405) return twilioError(60200);
  if (isVerify) return twilioError(20404, path.slice("/v2".length));
  return twilioError(code === "not_found" ? 20404 : 21211);
}
