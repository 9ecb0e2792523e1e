/** Twilio's shapes (API 2010-04-01): the webhook that brings a text in, the send request, its answer, its callbacks. */
import { invalidField } from "../core/errors.ts";
import { parsePhoneNumber, parseSmsSender, type PhoneNumber } from "../core/phone-number.ts";
import { countSegments } from "../core/sms.ts";
import { fieldOf, writeForm, type FormFields } from "./form.ts";
import { isWebUrl, textLengthMax, type InboundText } from "./text-message.ts";
import { magicNumberError, twilioError, type TwilioError, type TwilioErrorCode } from "./twilio-error.ts";

const apiVersion = "2010-04-01";

/** Reads the form of an inbound webhook. Throws `invalid_request` naming the field that is missing. */
export function readTwilioInbound(form: FormFields): InboundText {
  const from = fieldOf(form, "From");
  const to = fieldOf(form, "To");
  if (from === undefined) throw invalidField("From", "An inbound message has a sender", "required");
  if (to === undefined) throw invalidField("To", "An inbound message has a recipient", "required");
  const providerId = fieldOf(form, "MessageSid") ?? fieldOf(form, "SmsSid") ?? null;
  return { from, to, text: fieldOf(form, "Body") ?? "", providerId };
}

/** The form of an inbound webhook, as the application under test would get it from Twilio. */
export function writeTwilioInbound(message: TwilioMessage): FormFields {
  return [
    ["ToCountry", ""],
    ["SmsMessageSid", message.sid],
    ["NumMedia", "0"],
    ["SmsSid", message.sid],
    ["SmsStatus", "received"],
    ["Body", message.text],
    ["To", message.to],
    ["NumSegments", String(countSegments(message.text).segments)],
    ["MessageSid", message.sid],
    ["AccountSid", message.accountSid],
    ["From", message.from],
    ["ApiVersion", apiVersion],
  ];
}

/** Answer to an inbound webhook: TwiML that does nothing. */
export const emptyTwiml = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

/** A send request that has all it needs. */
export interface TwilioSendRequest {
  readonly to: PhoneNumber;
  /** Number, short code or alphanumeric sender id; the messaging service's id where that was given instead. */
  readonly from: string;
  readonly messagingServiceSid: string | null;
  readonly text: string;
  /** http or https. */
  readonly statusCallback: string | null;
}

/** What was read, or the error that Twilio would answer. */
export type TwilioReading<T> =
  | { readonly request: T; readonly error?: undefined }
  | { readonly request?: undefined; readonly error: TwilioError };

/**
 * Reads the form of a send request; the first thing that is wrong with it counts. Twilio's test numbers are refused as
 * Twilio refuses them. A picture may come without text.
 */
export function readTwilioSend(form: FormFields): TwilioReading<TwilioSendRequest> {
  const ends = readEnds(form);
  if (ends.error !== undefined) return ends;
  const text = fieldOf(form, "Body") ?? "";
  if (text === "" && fieldOf(form, "MediaUrl") === undefined) return refused(21602);
  if (text.length > textLengthMax) return refused(21617);
  const statusCallback = fieldOf(form, "StatusCallback") ?? null;
  if (statusCallback !== null && !isWebUrl(statusCallback)) return refused(21609, statusCallback);
  return { request: { ...ends.request, text, statusCallback } };
}

type Ends = Pick<TwilioSendRequest, "to" | "from" | "messagingServiceSid">;

function readEnds(form: FormFields): TwilioReading<Ends> {
  const toText = fieldOf(form, "To");
  const fromText = fieldOf(form, "From");
  const messagingServiceSid = fieldOf(form, "MessagingServiceSid") ?? null;
  if (toText === undefined) return refused(21604);
  const from = fromText === undefined ? messagingServiceSid : parseSmsSender(fromText)?.value;
  if (from === null) return refused(21603);
  const to = parsePhoneNumber(toText);
  if (to === undefined) return refused(21211, toText);
  if (from === undefined) return refused(21212, fromText);
  const error = magicNumberError({ to, from });
  return error === undefined ? { request: { to, from, messagingServiceSid } } : { error };
}

function refused(code: TwilioErrorCode, value?: string): { readonly error: TwilioError } {
  return { error: twilioError(code, value) };
}

/** How far a text has come. */
export type TwilioStatus = "queued" | "sent" | "delivered" | "undelivered" | "failed";

/** The callbacks of a text that arrives, in order. */
export const twilioStatusCourse: readonly TwilioStatus[] = ["queued", "sent", "delivered"];

/** A text in Twilio's terms. */
export interface TwilioMessage {
  /** {@link twilioSid}. */
  readonly sid: string;
  readonly accountSid: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly status: TwilioStatus;
  readonly messagingServiceSid: string | null;
}

/** Twilio's kind of id for a thing of ours: two letters and the 32 hex digits of its UUID. */
export function twilioSid(prefix: "SM" | "MM", id: string): string {
  return prefix + id.replaceAll("-", "");
}

/** The JSON resource that a send request is answered with (201), and that a look-up shows. */
export function twilioMessageResource(message: TwilioMessage): Readonly<Record<string, unknown>> {
  const { sid, accountSid, status } = message;
  const uri = `/${apiVersion}/Accounts/${accountSid}/Messages/${sid}`;
  const date = new Date(message.createdAt).toUTCString().replace("GMT", "+0000");
  return {
    account_sid: accountSid,
    api_version: apiVersion,
    body: message.text,
    date_created: date,
    date_sent: status === "queued" ? null : date,
    date_updated: date,
    direction: "outbound-api",
    error_code: null,
    error_message: null,
    from: message.from,
    messaging_service_sid: message.messagingServiceSid,
    num_media: "0",
    num_segments: String(countSegments(message.text).segments),
    price: null,
    price_unit: "USD",
    sid,
    status,
    subresource_uris: { media: `${uri}/Media.json` },
    to: message.to,
    uri: `${uri}.json`,
  };
}

/** Where in a list its page lies. */
export interface TwilioPage {
  readonly accountSid: string;
  /** Counts from 0. */
  readonly page: number;
  readonly pageSize: number;
  readonly hasMore: boolean;
  /** The parameters of the request, which those of the next page repeat. */
  readonly query: FormFields;
}

/** The JSON page that a list of texts is answered with. */
export function twilioMessagePage(
  messages: readonly TwilioMessage[],
  { accountSid, page, pageSize, hasMore, query }: TwilioPage,
): Readonly<Record<string, unknown>> {
  const filters = query.filter(([name]) => name !== "Page" && name !== "PageSize");
  const uriOf = (number: number): string => {
    const parameters = writeForm([...filters, ["PageSize", String(pageSize)], ["Page", String(number)]]);
    return `/${apiVersion}/Accounts/${accountSid}/Messages.json?${parameters}`;
  };
  const start = page * pageSize;
  return {
    end: start + Math.max(0, messages.length - 1),
    first_page_uri: uriOf(0),
    messages: messages.map(twilioMessageResource),
    next_page_uri: hasMore ? uriOf(page + 1) : null,
    page,
    page_size: pageSize,
    previous_page_uri: page === 0 ? null : uriOf(page - 1),
    start,
    uri: uriOf(page),
  };
}

/** The form of a status callback; to be signed as any form. */
export function twilioStatusCallback(message: TwilioMessage): FormFields {
  return [
    ["SmsSid", message.sid],
    ["SmsStatus", message.status],
    ["MessageStatus", message.status],
    ["To", message.to],
    ["MessageSid", message.sid],
    ["AccountSid", message.accountSid],
    ["From", message.from],
    ["ApiVersion", apiVersion],
    ...(message.messagingServiceSid === null ? [] : [["MessagingServiceSid", message.messagingServiceSid] as const]),
  ];
}
