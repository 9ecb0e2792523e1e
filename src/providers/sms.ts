/** SMS as providers exchange them: received from a phone, sent by an application, delivered to an application. */
import type { AttachmentId, MessageId, ServerId } from "../core/ids.ts";
import type { ProviderOrigin } from "../core/message.ts";
import type { ProviderAccount } from "../core/phone-number.ts";
import type { FormFields } from "../core/read-form.ts";
import { readJson } from "../core/read-json.ts";

/** SMS received through a provider's inbound webhook. */
export interface InboundSms {
  /** Sender as the provider wrote it, in E.164 when it is a number. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Id that the provider gave the message; null without one. */
  readonly providerId: string | null;
}

/** SMS to a phone, sent through the provider's own API. */
export interface OutboundSms {
  /** E.164. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** SMS that is delivered to the application under test, as the provider's inbound webhook would deliver it. */
export interface DeliveredSms extends OutboundSms {
  /** UUID of the message. */
  readonly id: string;
  readonly server: ServerId;
}

/** SMS that an application submitted through the provider-compatible API. */
export interface SubmittedSms extends OutboundSms {
  /** Requests that report the status of the message to the application; null without a callback URL. */
  readonly callback: StatusCallback | null;
  /** Returns the id that the response carries; by default the UUID of the message. */
  readonly providerIdOf?: (id: MessageId) => string;
  /** Facts that exist only in the provider's API, by name; stored with the message. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** URLs of media, in order; none by default. Those that may be called become attachments. */
  readonly mediaUrls?: readonly string[];
  /** Template that the text was rendered from, and its data; null by default. */
  readonly template?: ProviderOrigin["template"];
}

/** Media of a stored SMS. */
export interface SmsMedia {
  readonly url: string;
  /** Its content; null when the service did not fetch it. */
  readonly attachment: { readonly id: AttachmentId; readonly contentType: string } | null;
}

/** Status reports of one message. */
export interface StatusCallback {
  readonly url: string;
  /** Returns the requests to `url`, in order. */
  readonly calls: (id: MessageId) => readonly WebhookRequest[];
}

/** Body and header fields of a request to a webhook. */
export interface WebhookRequest {
  /** `application/x-www-form-urlencoded`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Stored SMS. */
export interface StoredSms extends OutboundSms {
  /** UUID. */
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** As submitted; empty for SMS of other sources. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly media: readonly SmsMedia[];
}

/** Reason why a submitted SMS was not stored. */
export type SubmissionRefusal =
  /** No server receives SMS for the recipient's number. */
  | "no_server"
  /** The recipient replied `STOP` and has not replied `START` since. */
  | "unsubscribed"
  /** The operator has not allowed the origin of the callback URL. */
  | "callback";

/** Result of submitting an SMS. */
export type Submission =
  | { readonly id: MessageId; readonly refusal?: undefined }
  | { readonly refusal: SubmissionRefusal };

/** Filter and page of a list of SMS; null matches all. */
export interface SmsFilter {
  readonly from: string | null;
  readonly to: string | null;
  /** Received at `since` or later and before `before`; milliseconds since the Unix epoch. */
  readonly since: number | null;
  readonly before: number | null;
  /** Starts at 0. */
  readonly page: number;
  readonly itemsPerPage: number;
}

/** Longest SMS, in UTF-16 units: the limit of Twilio's API, which is the lowest of all providers. */
export const smsLengthMax = 1600;

const urlLengthMax = 4000;

/** Name of the fact that names the channel of a message that is no SMS, such as `whatsapp`. */
export const channelFact = "Channel";

/** Returns the fields of a request that an endpoint does not interpret, so that they are stored; a repeated one as one text. */
export function uninterpretedFields(fields: FormFields, interpreted: ReadonlySet<string>): Record<string, string> {
  const kept = new Map<string, string>();
  for (const [name, value] of fields) {
    if (interpreted.has(name) || value === "") continue;
    const before = kept.get(name);
    kept.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(kept);
}

/** Returns whether a text is an http or https URL of at most 4000 characters, as callbacks must be. */
export function isWebUrl(text: string): boolean {
  return text.length <= urlLengthMax && /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

/** Request to the provider's own API for sending SMS to real phones, from the side of the client. */
export interface SendRequest extends WebhookRequest {
  readonly url: string;
}

/** Response of the provider's API; the body is cut at the size limit. */
export interface SendResponse {
  readonly status: number;
  readonly body: string;
}

/** Failure that the provider reported. */
export interface SendFailure {
  /** Status and error code; nothing else of the response, since the owner of the account chooses the host. */
  readonly text: string;
  /** Whether a retry may succeed. */
  readonly isTemporary: boolean;
}

/** Client side of a provider's API for sending SMS. */
export interface SendApi {
  readonly request: (account: ProviderAccount, sms: OutboundSms) => SendRequest;
  /** Returns null when the provider has accepted the SMS. */
  readonly readFailure: (response: SendResponse) => SendFailure | null;
}

/** Returns the members of a JSON object; none for anything else. */
export function membersOf(json: string): Readonly<Record<string, unknown>> {
  const reading = readJson(Buffer.from(json, "utf8"));
  // The status of a response that is not JSON decides.
  if (!("value" in reading) || typeof reading.value !== "object" || reading.value === null) return {};
  return reading.value as Record<string, unknown>;
}

/** Returns a string or number of a response as text; "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
