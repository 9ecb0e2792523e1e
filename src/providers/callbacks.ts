/** Requests by which a provider calls an application back: events about sent mail, and inbound mail. */
import type { IncomingHttpHeaders } from "node:http";
import type { HeaderField } from "../core/message.ts";
import type { DraftAttachment, DraftMailbox, ProviderFacts } from "./email.ts";
import type { OutboundSms, StoredSms } from "./sms.ts";

/** All types of events, in the order in which they happen to a mail. */
export const mailEventTypes = [
  "processed",
  "dropped",
  "deferred",
  "delivered",
  "bounced",
  "opened",
  "clicked",
  "complained",
  "unsubscribed",
] as const;

/** Event about a mail that an application sent. */
export type MailEventType = (typeof mailEventTypes)[number];

/** Facts of a mail that events repeat. JSON; texts of at most 24,000 characters, which is reached by cutting data of templates and metadata. */
export interface EventMail {
  /** UUID of the message in this service. */
  readonly id: string;
  /** Id of the message in the provider's API. For mail that came another way, one that is derived from `id`. */
  readonly providerId: string;
  /** Message-ID field without angle brackets. */
  readonly messageId: string;
  readonly from: string;
  /** All recipients of the header fields. */
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  /** Header fields of the application's own, such as `X-Order`, in order. */
  readonly headers: readonly HeaderField[];
  /** Whether {@link headers} was cut. */
  readonly isHeadersCut: boolean;
  readonly sizeBytes: number;
  /** Instant of receipt, in milliseconds since the Unix epoch, as all instants here. */
  readonly sentAt: number;
  readonly facts: ProviderFacts;
  /** Mail domain or server name, for fields that name the account: `shop1234`. */
  readonly server: string;
}

/** Facts that depend on the type of the event; absent ones have the provider's usual values. */
export interface EventDetails {
  /** Reply of the receiving host, `550 5.1.1 No such user`: bounced, deferred, dropped. */
  readonly reason?: string;
  /** SMTP reply code of {@link reason}. */
  readonly code?: number;
  /** Enhanced status code (RFC 3463). */
  readonly status?: string;
  /** Whether a bounce is permanent; `hard` by default. */
  readonly bounce?: "hard" | "soft" | "blocked";
  /** Link that was clicked. */
  readonly url?: string;
  readonly ip?: string;
  readonly userAgent?: string;
}

/** One event. */
export interface MailEvent {
  /** UUID; the same on every attempt. */
  readonly id: string;
  readonly type: MailEventType;
  readonly at: number;
  readonly recipient: string;
  readonly mail: EventMail;
  readonly details: EventDetails;
}

/** SMS of an event; only one that the application sent has metadata. */
export interface EventSms extends OutboundSms, Pick<StoredSms, "id" | "metadata"> {
  /** Id of the message in the provider's API; that of this service for an answer. */
  readonly providerId: string;
}

/**
 * Event about an SMS: one that the application sent was accepted (`sent`) and delivered, or the application receives an answer
 * to one.
 */
export interface SmsEvent {
  /** UUID; the same on every attempt. */
  readonly id: string;
  readonly type: "sent" | "delivered" | "received";
  readonly at: number;
  readonly sms: EventSms;
}

/** Events about SMS that a provider sends to the receivers of its events. */
export interface SmsEvents {
  /** Types that the provider reports, in the order in which they happen. */
  readonly types: readonly SmsEvent["type"][];
  /** Returns whether the event webhook of a server receives reports about an SMS that the application sent. */
  readonly isReported: (sms: EventSms) => boolean;
  /** As {@link EventWebhooks.nameOf}. */
  readonly nameOf?: (event: SmsEvent) => string;
  /** Returns the request with an event; the same body for the same event and signing. */
  readonly render: (event: SmsEvent, signing: CallbackSigning) => CallbackRequest;
}

/** Secrets of a target, as JSON; each provider documents its members. */
export type CallbackSecrets = Readonly<Record<string, string>>;

/** Dependencies of rendering and signing a request. */
export interface CallbackSigning {
  readonly url: string;
  /** UUID of the target; the nil UUID for a receiver that no target describes. */
  readonly target: string;
  /** Settings of the target that are no secrets, by name; an absent one has its default. */
  readonly options: Readonly<Record<string, string>>;
  readonly secrets: CallbackSecrets;
  /** Instant that the signature names: that of the attempt. */
  readonly now: number;
  /** Public base URL of this service, without a trailing slash. */
  readonly serviceUrl: string;
}

/** HTTP request to an application. */
export interface CallbackRequest {
  /** POST by default. */
  readonly method?: "OPTIONS";
  readonly headers: Readonly<Record<string, string>>;
  /** "" without a body. */
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Names of header fields with credentials besides `authorization`, in lower case; nothing shows their values. */
  readonly secretHeaders?: readonly string[];
}

/** Response of an application, as far as it was read. */
export interface CallbackAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Setting of a target that a user may give besides the URL; text, shown in lists unless it is a secret. */
export interface CallbackSetting {
  readonly name: string;
  readonly description: string;
  readonly isSecret: boolean;
  /** Values that are permitted, the default first; absent: any text of at most 500 characters without control characters. */
  readonly values?: readonly string[];
  /** Pattern that the whole text matches. */
  readonly pattern?: RegExp;
}

/** Secrets of a new target: what is stored, and what the user is shown. */
export interface NewSecrets {
  readonly secrets: CallbackSecrets;
  /** Public key or other value that the application needs and that is always shown; null for none. */
  readonly publicKey: string | null;
  /** Signing secret, shown once; null for none. */
  readonly secret: string | null;
}

/** Secrets by which receivers verify the requests of a target. */
export interface WebhookCredentials {
  /** Settings of a target, secret ones and others. */
  readonly settings: readonly CallbackSetting[];
  /** Verification of requests by a receiver, one sentence for the documentation. */
  readonly verification: string;
  /** Makes new secrets; `given` are the user's secret settings. */
  readonly createSecrets: (given: CallbackSecrets) => NewSecrets | Promise<NewSecrets>;
  /**
   * Alters a rendered request so that a verifying receiver must refuse it: the signature, or the credentials. The default
   * for providers without signatures is to change the credentials.
   */
  readonly forge: (request: CallbackRequest) => CallbackRequest;
}

/** Events of a mail provider. */
export interface EventWebhooks extends WebhookCredentials {
  /** Types that the provider reports; others are refused with a 400. */
  readonly types: readonly MailEventType[];
  /**
   * Returns the name by which webhooks that the provider's API registers select an event; absent where that API is not
   * emulated.
   */
  readonly nameOf?: (event: Pick<MailEvent, "type" | "details">) => string;
  /** Returns the types that a target with these options receives; absent: all {@link types}. */
  readonly typesOf?: (options: CallbackSigning["options"]) => readonly MailEventType[];
  /** Types that are emitted for a mail that arrived through the provider's API, in order. */
  readonly automatic: readonly MailEventType[];
  /** Most events of one request: 1 for providers that send one at a time. */
  readonly batchCountMax: number;
  /** Returns the limit for a target with these options; absent: {@link batchCountMax}. */
  readonly batchCountMaxOf?: (options: CallbackSigning["options"]) => number;
  /** Returns the request for at most {@link batchCountMax} events; the same body for the same events and signing. */
  readonly render: (events: readonly MailEvent[], signing: CallbackSigning) => CallbackRequest;
  /** Events about SMS; absent where the provider sends none here. */
  readonly sms?: SmsEvents;
  /**
   * Returns the request that asks a new receiver to confirm (Amazon SNS), with the token; absent where the provider sends
   * none. Events wait until the receiver has confirmed.
   */
  readonly confirmation?: (token: string, signing: CallbackSigning) => CallbackRequest;
  /** Whether a target with these options has to confirm; absent: all have to where {@link confirmation} is present. */
  readonly mustConfirm?: (options: CallbackSigning["options"]) => boolean;
  /**
   * Returns whether a successful response to {@link confirmation} confirms (Azure Event Grid); absent: only a request with the
   * token does.
   */
  readonly isConfirmedBy?: (answer: CallbackAnswer, token: string) => boolean;
  /**
   * Outcomes of recipients whose fate the provider documents: the events that replace {@link automatic}; undefined for all
   * other recipients. Absent where no fate is documented.
   */
  readonly outcomeOf?: (
    recipient: string,
  ) => readonly { readonly type: MailEventType; readonly details: EventDetails }[] | undefined;
}

/** Mail that is handed to an application. */
export interface InboundMail {
  /** UUID of the message. */
  readonly id: string;
  readonly receivedAt: number;
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** Recipient that matched the route. */
  readonly recipient: string;
  readonly raw: Uint8Array;
  readonly from: readonly InboundAddress[];
  readonly to: readonly InboundAddress[];
  readonly cc: readonly InboundAddress[];
  readonly bcc: readonly InboundAddress[];
  readonly replyTo: string;
  readonly subject: string;
  /** Value of the Date field, "" without one. */
  readonly date: string;
  /** Message-ID with angle brackets, "" without one. */
  readonly messageId: string;
  readonly text: string;
  readonly html: string;
  /** Text without quoted earlier messages and signature; and the signature. */
  readonly strippedText: string;
  readonly strippedSignature: string;
  /** HTML without quoted earlier messages. */
  readonly strippedHtml: string;
  /** Header fields in order, decoded and unfolded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Header section as it was received. */
  readonly rawHeaders: string;
  readonly attachments: readonly InboundAttachment[];
  readonly spam: { readonly score: number; readonly report: string };
  readonly verdicts: { readonly spf: string; readonly dkim: string; readonly dmarc: string };
  readonly clientIp: string;
}

/** Address of an inbound mail; `name` is "" when absent. */
export type InboundAddress = DraftMailbox;

/** Attachment or inline part of an inbound mail. */
export interface InboundAttachment extends DraftAttachment {
  readonly fileName: string;
}

/** Format in which a provider hands mail to an application. */
export interface InboundShape extends WebhookCredentials, Pick<EventWebhooks, "confirmation" | "mustConfirm"> {
  /** `sendgrid`, `mailgun`, `postmark`, `ses`, `mandrill`, `raw`. */
  readonly name: string;
  readonly label: string;
  /** Returns the request; the same body for the same mail, `options` and signing. */
  readonly render: (mail: InboundMail, options: CallbackSecrets, signing: CallbackSigning) => CallbackRequest;
}
