/** The errors of Twilio's REST API that a send request can meet, in Twilio's shape. */

/** Twilio's error codes that we answer with. */
export type TwilioErrorCode =
  | 20003
  | 20404
  | 20429
  | 20500
  | 21211
  | 21212
  | 21602
  | 21603
  | 21604
  | 21606
  | 21609
  | 21610
  | 21617;

interface ErrorRow {
  readonly status: number;
  /** `%` stands for the value concerned. */
  readonly message: string;
}

const rows: Readonly<Record<TwilioErrorCode, ErrorRow>> = {
  20003: { status: 401, message: "Authenticate" },
  20404: { status: 404, message: "The requested resource % was not found" },
  20429: { status: 429, message: "Too Many Requests" },
  20500: { status: 500, message: "Internal Server Error" },
  21211: { status: 400, message: "The 'To' number % is not a valid phone number." },
  21212: {
    status: 400,
    message: "The 'From' number % is not a valid phone number, shortcode, or alphanumeric sender ID.",
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
  21617: { status: 400, message: "The concatenated message body exceeds the 1600 character limit." },
};
const quotedLengthMax = 100;

/** A refusal: HTTP status and JSON body. */
export interface TwilioError {
  readonly status: number;
  readonly body: {
    readonly code: TwilioErrorCode;
    readonly message: string;
    readonly more_info: string;
    readonly status: number;
  };
}

/** The refusal with this code; `value` is what the caller sent, shown to them in the message. */
export function twilioError(code: TwilioErrorCode, value = ""): TwilioError {
  const { status, message } = rows[code];
  const shown = message.replace("%", () => value.slice(0, quotedLengthMax)).trim();
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status, body: { code, message: shown, more_info, status } };
}
