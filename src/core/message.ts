/**
 * Shapes of a message as the API returns them. Store, operations and HTTP use the same types.
 */
import type { FaultHit } from "./fault.ts";
import type { SmtpAuthentication } from "./smtp-session.ts";
import type { Delivery } from "./delivery.ts";
import type { AttachmentId, MessageId, ServerId } from "./ids.ts";
import type { SmsSegmentation } from "./sms.ts";

/** Direction of a message: received by a server, or sent by it. */
export type Direction = "Received" | "Sent";
/** Transport of a message. */
export type MessageType = "Email" | "SMS";

/** Mailbox (RFC 5322 §3.4) or phone. E-mail: `phone` is null; SMS: `email` is null. `name` is "" when absent. */
export interface Contact {
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
}

/** Link of a body; `text` is null when the anchor has no visible text, and equals `href` in plain text. */
export interface Link {
  readonly href: string;
  readonly text: string | null;
}

/** One-time code, PIN or passcode, as a person types it. */
export interface Code {
  readonly value: string;
}

/** Image of an HTML body; `alt` is "" when missing, `cid:` sources stay as they are. */
export interface Image {
  readonly src: string;
  readonly alt: string;
}

/** HTML content; `body` is null when the message has no such part. Findings in document order. */
export interface HtmlContent {
  readonly links: readonly Link[];
  readonly codes: readonly Code[];
  readonly images: readonly Image[];
  readonly body: string | null;
}

/** Plain-text content; `body` is null when the message has no such part. */
export interface TextContent {
  readonly links: readonly Link[];
  readonly codes: readonly Code[];
  readonly body: string | null;
}

/** Attachment or inline part, in MIME order. `length` is in decoded bytes; `fileName` is never used as a path. */
export interface Attachment {
  readonly id: AttachmentId;
  readonly contentType: string;
  readonly fileName: string;
  readonly contentId: string | null;
  readonly length: number;
  readonly url: string;
}

/** Header field, unfolded and decoded. */
export interface HeaderField {
  readonly field: string;
  readonly value: string;
}

/** All header fields in order, and the SMTP envelope; null and [] for messages without an SMTP session. */
export interface Metadata {
  readonly headers: readonly HeaderField[];
  readonly ehlo: string | null;
  /** Authentication of the SMTP session; absent without one. */
  readonly auth?: SmtpAuthentication;
  readonly mailFrom: string | null;
  readonly rcptTo: readonly Contact[];
  /**
   * Instant at which a held message was accepted, ISO 8601 in UTC with milliseconds; `received` is the one at which it
   * became visible. Absent for messages that were visible at once. An extension.
   */
  readonly accepted?: string;
  /** Faults that applied before the message was accepted; absent without one. An extension. */
  readonly faults?: readonly MessageFault[];
}

/** Fault rule that applied to a message. */
export type MessageFault = Pick<FaultHit, "rule" | "stage" | "action">;

/** Item of lists and search results. `summary` is the first ~200 characters of visible text; `attachments` a count. */
export interface Summary {
  readonly id: MessageId;
  readonly type: MessageType;
  readonly server: ServerId;
  readonly subject: string;
  readonly from: readonly Contact[];
  readonly to: readonly Contact[];
  readonly cc: readonly Contact[];
  readonly bcc: readonly Contact[];
  /** ISO 8601 in UTC with milliseconds, `2026-11-20T10:42:07.975Z`. */
  readonly received: string;
  readonly summary: string;
  readonly attachments: number;
}

/** Facts about a message that was submitted through the API of a provider; an extension. */
export interface ProviderOrigin {
  /** Name of the provider, such as `sendgrid`. */
  readonly name: string;
  /** Id of the message in the response of the provider's API. */
  readonly id: string;
  /** Tags, categories or message types. */
  readonly tags: readonly string[];
  /** Metadata, custom arguments or variables. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Template of the provider, and the data that it was sent with. */
  readonly template: { readonly id: string; readonly data: unknown } | null;
  /** ISO 8601 in UTC with milliseconds; null unless the message was scheduled. */
  readonly scheduledAt: string | null;
}

/** Full detail of one message. */
export interface Message {
  readonly id: MessageId;
  readonly type: MessageType;
  readonly from: readonly Contact[];
  readonly to: readonly Contact[];
  readonly cc: readonly Contact[];
  readonly bcc: readonly Contact[];
  readonly received: string;
  readonly subject: string;
  readonly html: HtmlContent;
  readonly text: TextContent;
  readonly attachments: readonly Attachment[];
  readonly metadata: Metadata;
  readonly server: ServerId;
  /** Tolerated defects of the received bytes, in order of detection; an extension. */
  readonly defects: readonly string[];
  /** Of sent messages only; an extension. */
  readonly delivery?: Delivery;
  /** Encoding and segments of an SMS; an extension. */
  readonly sms?: SmsSegmentation;
  /** Null for messages that came another way; an extension. */
  readonly provider?: ProviderOrigin | null;
}
