/** Messages as Twilio represents them, in responses and in status callbacks. */
import type { FormFields } from "../../core/read-form.ts";
import { countSegments } from "../../core/sms.ts";
import { writeForm } from "../formats/form.ts";
import { uuidOfHex } from "../formats/uuid.ts";
import type { SmsMedia, WebhookRequest } from "../sms.ts";
import { signTwilioRequest } from "./signature.ts";

/** Version in the paths of Twilio's REST API. */
export const apiVersion = "2010-04-01";

/** Status of a message. */
export type TwilioStatus = "queued" | "sent" | "delivered" | "undelivered" | "failed";

/** Message as Twilio represents it. */
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
  /** Prefix of both numbers, such as `whatsapp`; null for SMS and MMS. */
  readonly channel: string | null;
  readonly media: readonly SmsMedia[];
}

/** Returns a number as Twilio writes it in a channel. */
function inChannel(channel: string | null, number: string): string {
  return channel === null || !number.startsWith("+") ? number : `${channel}:${number}`;
}

/** Returns the SID of a UUID: two letters and its 32 hex digits. */
export function twilioSid(prefix: "SM" | "MM", id: string): string {
  return prefix + id.replaceAll("-", "");
}

/** Returns the UUID in a message's SID, with or without `.json` behind it; "" for anything else. */
export function uuidOfSid(sid: string): string {
  const hex = /^(?:SM|MM)([0-9a-f]{32})(?:\.json)?$/.exec(sid)?.[1] ?? "";
  return uuidOfHex(hex);
}

/** Statuses that are reported for a delivered message, in order. */
const statuses: readonly TwilioStatus[] = ["queued", "sent", "delivered"];

/** Returns the signed requests that report the progress of a message to `url`, in order. */
export function twilioStatusCalls(message: TwilioMessage, url: string, token: string): readonly WebhookRequest[] {
  return statuses.map((status) => {
    const form = twilioStatusCallback({ ...message, status });
    return { body: writeForm(form), headers: { "x-twilio-signature": signTwilioRequest({ url, form }, token) } };
  });
}

/** Returns the form of one status callback. */
export function twilioStatusCallback(message: TwilioMessage): FormFields {
  return [
    ["SmsSid", message.sid],
    ["SmsStatus", message.status],
    ["MessageStatus", message.status],
    ["To", inChannel(message.channel, message.to)],
    ["MessageSid", message.sid],
    ["AccountSid", message.accountSid],
    ["From", inChannel(message.channel, message.from)],
    ["ApiVersion", apiVersion],
    ...(message.messagingServiceSid === null ? [] : [["MessagingServiceSid", message.messagingServiceSid] as const]),
  ];
}

/** Returns the JSON resource of a message. */
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
    from: inChannel(message.channel, message.from),
    messaging_service_sid: message.messagingServiceSid,
    num_media: String(message.media.length),
    num_segments: String(countSegments(message.text).segments),
    price: null,
    price_unit: "USD",
    sid,
    status,
    subresource_uris: { media: `${uri}/Media.json` },
    to: inChannel(message.channel, message.to),
    uri: `${uri}.json`,
  };
}

/** Position of a page in a list. */
export interface TwilioPage {
  readonly accountSid: string;
  /** Starts at 0. */
  readonly page: number;
  readonly pageSize: number;
  readonly hasMore: boolean;
  /** Query of the request, which the links to other pages repeat. */
  readonly query: FormFields;
}

/** Returns the JSON of a page of messages. */
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
