/**
 * The shapes of a message as the interface shows them (contract: Resources). They are the nouns of the whole service:
 * what the store keeps, the operations answer and the wire sends is this.
 */
import type { SmtpAuthentication } from "./smtp-session.ts";
import type { Delivery } from "./delivery.ts";
import type { AttachmentId, MessageId, ServerId } from "./ids.ts";
import type { SmsSegmentation } from "./sms.ts";

/** Which way a message went: into a server, or out of it. */
export type Direction = "Received" | "Sent";
/** What carried the message. */
export type MessageType = "Email" | "SMS";

/** A mailbox (RFC 5322 §3.4) or a phone. E-mail: `phone` is null; SMS: `email` is null. `name` is "" when absent. */
export interface Contact {
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
}

/** A link of a body; `text` is null when the anchor has no visible text, and equals `href` in plain text. */
export interface Link {
  readonly href: string;
  readonly text: string | null;
}

/** A one-time code, PIN or passcode, as a person would type it. */
export interface Code {
  readonly value: string;
}

/** An image of an HTML body; `alt` is "" when missing, `cid:` sources stay as they are. */
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

/** An attachment, inline ones included, in MIME order. `length` is decoded bytes; `fileName` is never a path for us. */
export interface Attachment {
  readonly id: AttachmentId;
  readonly contentType: string;
  readonly fileName: string;
  readonly contentId: string | null;
  readonly length: number;
  readonly url: string;
}

/** A header field, unfolded and decoded. */
export interface HeaderField {
  readonly field: string;
  readonly value: string;
}

/** All header fields in order, and what the SMTP session said; null and [] where no session brought the message. */
export interface Metadata {
  readonly headers: readonly HeaderField[];
  readonly ehlo: string | null;
  /** Sign-in of the SMTP session; absent without one. */
  readonly auth?: SmtpAuthentication;
  readonly mailFrom: string | null;
  readonly rcptTo: readonly Contact[];
}

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
  /** Faults of the received bytes that were tolerated; an extension, in the order found. */
  readonly defects: readonly string[];
  /** Of sent messages only; an extension. */
  readonly delivery?: Delivery;
  /** Of texts only: how it travels; an extension. */
  readonly sms?: SmsSegmentation;
}
