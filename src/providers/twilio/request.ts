import { parsePhoneNumber, parseSmsSender, type PhoneNumber } from "../../core/phone-number.ts";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { isWebUrl, smsLengthMax, type SmsFilter } from "../sms.ts";
import { magicNumberError, twilioError, type TwilioError, type TwilioErrorCode } from "./errors.ts";

/** Valid request to send a message. */
export interface TwilioSendRequest {
  readonly to: PhoneNumber;
  /** Number, short code or alphanumeric sender id; the SID of the messaging service where that was given instead. */
  readonly from: string;
  readonly messagingServiceSid: string | null;
  readonly text: string;
  /** http or https. */
  readonly statusCallback: string | null;
}

/** Decoded request, or the error that Twilio would respond with. */
export type TwilioReading<T> =
  | { readonly request: T; readonly error?: undefined }
  | { readonly request?: undefined; readonly error: TwilioError };

/**
 * Decodes the form of a request to send a message and reports the first error. Twilio's magic numbers cause the same
 * errors as in Twilio's API. A message with `MediaUrl` may have no text.
 */
export function readTwilioSend(form: FormFields): TwilioReading<TwilioSendRequest> {
  const ends = readEnds(form);
  if (ends.error !== undefined) return ends;
  const text = fieldOf(form, "Body") ?? "";
  if (text === "" && fieldOf(form, "MediaUrl") === undefined) return failed(21602);
  if (text.length > smsLengthMax) return failed(21617);
  const statusCallback = fieldOf(form, "StatusCallback") ?? null;
  if (statusCallback !== null && !isWebUrl(statusCallback)) return failed(21609, statusCallback);
  return { request: { ...ends.request, text, statusCallback } };
}

type Ends = Pick<TwilioSendRequest, "to" | "from" | "messagingServiceSid">;

function readEnds(form: FormFields): TwilioReading<Ends> {
  const toText = fieldOf(form, "To");
  const fromText = fieldOf(form, "From");
  const messagingServiceSid = fieldOf(form, "MessagingServiceSid") ?? null;
  if (toText === undefined) return failed(21604);
  const from = fromText === undefined ? messagingServiceSid : parseSmsSender(fromText)?.value;
  if (from === null) return failed(21603);
  const to = parsePhoneNumber(toText);
  if (to === undefined) return failed(21211, toText);
  if (from === undefined) return failed(21212, fromText);
  const error = magicNumberError({ to, from });
  return error === undefined ? { request: { to, from, messagingServiceSid } } : { error };
}

function failed(code: TwilioErrorCode, value?: string): { readonly error: TwilioError } {
  return { error: twilioError(code, value) };
}

/** Page sizes of Twilio. */
const pageSizeDefault = 50;
const pageSizeMax = 1000;
const dayMs = 24 * 3_600_000;

/** Decodes the filter and the page of a list request; like Twilio, treats invalid values as absent. */
export function readTwilioList(fields: FormFields): SmsFilter {
  const number = (name: string, absent: number): number => {
    const text = fieldOf(fields, name) ?? "";
    return /^\d{1,6}$/.test(text) ? Number(text) : absent;
  };
  const instant = (name: string): number | null => readIsoInstant(fieldOf(fields, name) ?? "") ?? null;
  // The whole day in UTC; the official libraries send an instant of that day.
  const within = instant("DateSent");
  const day = within === null ? null : within - (within % dayMs);
  return {
    from: fieldOf(fields, "From") ?? null,
    to: fieldOf(fields, "To") ?? null,
    since: day ?? instant("DateSent>"),
    before: day === null ? instant("DateSent<") : day + dayMs,
    page: number("Page", 0),
    itemsPerPage: Math.min(pageSizeMax, Math.max(1, number("PageSize", pageSizeDefault))),
  };
}
