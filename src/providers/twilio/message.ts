/** Messages as Twilio represents them, in responses and in status callbacks. */
import type { FormFields } from "../../core/read-form.ts";
import { countSegments } from "../../core/sms.ts";
import { writeForm, fieldOf } from "../formats/form.ts";
import { digitsOfUuid, uuidOfHex } from "../formats/uuid.ts";
import type { SmsMedia, WebhookRequest, DeliveredSms, InboundSms } from "../sms.ts";
import { createHmac, createHash } from "node:crypto";
import { isSameText } from "../formats/callback-values.ts";
import { invalidField } from "../../core/errors.ts";
import type { InboundWebhook, WebhookSigning } from "../provider.ts";

/** Version in the paths of Twilio's REST API. */
export const apiVersion = "2010-04-01";

/** Status of a message. */
type TwilioStatus = "queued" | "sent" | "delivered" | "undelivered" | "failed";

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
  return prefix + digitsOfUuid(id);
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
interface TwilioPage {
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

/** Signed parts of a request. */
interface TwilioSignedRequest {
  /** Complete URL of the request, with its query string. */
  readonly url: string;
  /** Fields of the body. */
  readonly form: FormFields;
}

/** Returns the signature of a request, in base64. */
export function signTwilioRequest(request: TwilioSignedRequest, authToken: string): string {
  const signed = request.url + sortedFields(request.form);
  return createHmac("sha1", authToken).update(signed).digest("base64");
}

/**
 * Returns whether the signature is that of the request; compares in constant time. The default port of the scheme may be
 * explicit or absent on either side.
 */
export function verifyTwilioRequest(request: TwilioSignedRequest, signature: string, authToken: string): boolean {
  return urlSpellings(request.url).some((url) =>
    isSameText(signTwilioRequest({ ...request, url }, authToken), signature),
  );
}

/** Concatenates each name with its distinct values, sorted by code unit, without separators. */
function sortedFields(form: FormFields): string {
  const values = Map.groupBy(form, ([name]) => name);
  const names = [...values.keys()].toSorted();
  return names
    .map((name) => [...new Set(values.get(name)?.map((field) => field.join("")))].toSorted().join(""))
    .join("");
}

function urlSpellings(url: string): readonly string[] {
  const [, scheme, host, port, rest = ""] = /^(https?:\/\/)([^/?#:]+|\[[^\]]*\])(:\d+)?([/?#].*)?$/is.exec(url) ?? [];
  if (scheme === undefined || host === undefined) return [url];
  const defaultPort = scheme.toLowerCase() === "https://" ? ":443" : ":80";
  return [url, scheme + host + rest, scheme + host + (port ?? defaultPort) + rest];
}

/** TwiML without instructions. */
const emptyTwiml = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

/** Inbound webhook in the format of Twilio, with `X-Twilio-Signature`. */
export const twilioInbound: InboundWebhook = {
  methods: ["POST"],
  read: ({ fields }) => readTwilioInbound(fields),
  isSigned: ({ headers, url, form }, secret) => {
    const signature = headers["x-twilio-signature"];
    return typeof signature === "string" && verifyTwilioRequest({ url, form }, signature, secret);
  },
  accepted: {
    status: 200,
    description: "Empty TwiML.",
    body: { contentType: "text/xml; charset=utf-8", text: emptyTwiml },
  },
};

/** Decodes the form of an inbound webhook. Throws `invalid_request` that names the missing field. */
export function readTwilioInbound(form: FormFields): InboundSms {
  const from = fieldOf(form, "From");
  const to = fieldOf(form, "To");
  if (from === undefined) throw invalidField("From", "An inbound message must have a sender", "required");
  if (to === undefined) throw invalidField("To", "An inbound message must have a recipient", "required");
  const providerId = fieldOf(form, "MessageSid") ?? fieldOf(form, "SmsSid") ?? null;
  return { from, to, text: fieldOf(form, "Body") ?? "", providerId };
}

/** Returns the request by which Twilio would deliver an SMS to the application, signed where there is a secret. */
export function deliverByTwilio(
  { id, server, from, to, text }: DeliveredSms,
  { url, secret }: WebhookSigning,
): WebhookRequest {
  const form = writeTwilioInbound({ sid: twilioSid("SM", id), accountSid: accountSidOf(server), from, to, text });
  const signature = secret === null ? null : signTwilioRequest({ url, form }, secret);
  return { body: writeForm(form), headers: signature === null ? {} : { "x-twilio-signature": signature } };
}

/** Returns the form of an inbound webhook as the application receives it from Twilio. */
export function writeTwilioInbound(
  message: Pick<TwilioMessage, "sid" | "accountSid" | "from" | "to" | "text">,
): FormFields {
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

/** Returns the account SID that represents a server. */
function accountSidOf(server: string): string {
  return `AC${createHash("sha256").update(server).digest("hex").slice(0, 32)}`;
}
