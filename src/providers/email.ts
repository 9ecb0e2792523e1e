/** Mail as applications submit it through the API of a mail provider, and as it is read back. */
import type { MessageId, ServerId } from "../core/ids.ts";
import type { Message } from "../core/message.ts";

/** Mailbox of a draft; `name` is "" when absent. */
export interface DraftMailbox {
  readonly name: string;
  /** Plain address; endpoints have validated it with {@link isEmailAddress}. */
  readonly address: string;
}

/** File of a draft. */
export interface DraftAttachment {
  readonly fileName: string | null;
  readonly contentType: string;
  readonly content: Uint8Array;
  /** Without angle brackets; null for none. */
  readonly contentId: string | null;
  /** Whether the HTML body shows the file. */
  readonly isInline: boolean;
}

/** Mail that a provider composes from the fields of its API. A body that is null is absent. */
export interface EmailDraft {
  readonly from: DraftMailbox;
  readonly replyTo: readonly DraftMailbox[];
  readonly to: readonly DraftMailbox[];
  readonly cc: readonly DraftMailbox[];
  /** Written to no header field. */
  readonly bcc: readonly DraftMailbox[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  /** Custom header fields in order; names may repeat. Fields that the members above determine are ignored. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly DraftAttachment[];
}

/** Facts about a mail that exist only in the provider's API; stored with the message. */
export interface ProviderFacts {
  readonly tags: readonly string[];
  /** Custom arguments, variables, metadata: name → value. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Template of the provider, and the data it was rendered with or, when it is not stored here, sent with. */
  readonly template: { readonly id: string; readonly data: unknown } | null;
}

/** Mail that an application submits. */
export interface SubmittedEmail {
  /**
   * Draft to compose, or a whole mail (RFC 5322) that is stored byte for byte, except for its Message-ID field when
   * {@link identify} returns one.
   */
  readonly content: EmailDraft | Uint8Array;
  /** Server that stores the mail instead of those of its recipients; absent: those. */
  readonly server?: ServerId;
  /** Envelope sender. */
  readonly mailFrom: string;
  /** Envelope recipients: to, cc and bcc; at least one. */
  readonly recipients: readonly string[];
  readonly facts: ProviderFacts;
  /** Instant at which the mail is to arrive, in milliseconds since the Unix epoch; null or an instant in the past: now. */
  readonly sendAt: number | null;
  /**
   * Returns the provider's id and the Message-ID field of the mail, from which the provider's `uuidOf` returns the UUID again.
   * Called again, with another UUID, only when the first UUID is taken; has no other effects. The mail keeps its provider id when it is scheduled. `messageId` with angle brackets; null: the
   * content's own, or one of the service.
   */
  readonly identify: (uuid: string) => { readonly providerId: string; readonly messageId: string | null };
}

/** Result of submitting a mail. */
export type EmailSubmission =
  | { readonly providerId: string; readonly uuid: string; readonly refusal?: undefined }
  /** No server receives mail for any of the recipients. */
  | { readonly refusal: "no_server" };

/** Mail read back by the provider's API. */
export interface StoredEmail {
  readonly providerId: string;
  /** Null while the mail is scheduled, or held though it counts as delivered. */
  readonly id: MessageId | null;
  readonly status: "scheduled" | "delivered";
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Null unless the mail was or is scheduled; milliseconds since the Unix epoch. */
  readonly sendAt: number | null;
  readonly facts: ProviderFacts;
  /** The message as the interface shows it; of a scheduled mail as it will arrive, with `received` at {@link sendAt}. */
  readonly message: Pick<
    Message,
    "from" | "to" | "cc" | "bcc" | "subject" | "html" | "text" | "attachments" | "metadata"
  >;
}

/** Filter and page of a list of mail, newest first; null matches all. */
export interface EmailFilter {
  readonly tag: string | null;
  /** Whole address. */
  readonly to: string | null;
  readonly from: string | null;
  /** Received at `since` or later and before `before`; milliseconds since the Unix epoch. */
  readonly since: number | null;
  readonly before: number | null;
  /** Starts at 0. */
  readonly page: number;
  readonly itemsPerPage: number;
}

/** Object of a provider's API that is not a message: a template, an identity, a Verify service, a verification. */
export interface ProviderObject {
  /** `template`, `identity`, `verification`, …; unique within the provider. At most 40 characters. */
  readonly kind: string;
  /** At most 200 characters. */
  readonly id: string;
  /** JSON value of at most 1 MB. */
  readonly value: unknown;
  /** Number of changes, starting at 1. */
  readonly version: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Objects of one provider that belong to the caller: those of its server for a restricted key, else of the account. */
export interface ProviderObjects {
  /** Returns the object; for a restricted key that of the account when its server has none. */
  readonly get: (kind: string, id: string) => Promise<ProviderObject | undefined>;
  /** Returns objects in the order of their creation, at most 1000 after skipping `offset`. */
  readonly list: (kind: string, offset?: number) => Promise<readonly ProviderObject[]>;
  /**
   * Stores an object. With `version`, replaces exactly that version (0: creates it), and resolves to false when another
   * call was faster. Rejects with `limit_reached` above 10,000 objects of a kind.
   */
  readonly put: (kind: string, id: string, change: ObjectChange) => Promise<boolean>;
  /** Removes an object; false when there is none. */
  readonly remove: (kind: string, id: string) => Promise<boolean>;
}

/** New value of an object. */
export interface ObjectChange {
  readonly value: unknown;
  /** Replaces any version by default. */
  readonly version?: number;
  /** Instant from which the object is not found any more, in milliseconds since the Unix epoch; null: never. */
  readonly expiresAt?: number | null;
}

/** Session of a caller with the messages and objects of one provider. */
export interface EmailSession {
  /**
   * Stores mails as received in the server of a restricted key, else in the servers of their recipients; a mail for
   * several servers is stored in each. All or none are stored; refused ones are not. Resolves after the commit.
   * Rejects with `message_too_large`, `limit_reached`, `quota_exceeded` and as the admission of mail does.
   */
  readonly submitEmails: (emails: readonly SubmittedEmail[]) => Promise<readonly EmailSubmission[]>;
  /** Returns a mail that came through this provider; rejects with `not_found`. */
  readonly getEmail: (uuid: string) => Promise<StoredEmail>;
  /** Returns the source of a mail that {@link getEmail} returns; rejects with `not_found`, also while it is scheduled. */
  readonly getRaw: (uuid: string) => Promise<Uint8Array>;
  /** Lists mail that came through this provider, newest first, without scheduled ones. */
  readonly listEmails: (
    filter: EmailFilter,
  ) => Promise<{ readonly emails: readonly StoredEmail[]; readonly hasMore: boolean }>;
  /** Changes the instant of a scheduled mail; rejects with `not_found`, and with `conflict` when it has arrived. */
  readonly rescheduleEmail: (uuid: string, sendAt: number) => Promise<void>;
  /** Cancels a scheduled mail; rejects with `not_found`, and with `conflict` when it has arrived. */
  readonly cancelEmail: (uuid: string) => Promise<void>;
  readonly objects: ProviderObjects;
  /**
   * Returns the response to the first request with this key within 24 hours; else that of `respond`, which concurrent
   * requests share and of which only a 2xx is kept. `content` is compared: rejects with `conflict` when the key was used with other content.
   */
  readonly once: <Response>(key: string, content: unknown, respond: () => Promise<Response>) => Promise<Response>;
}

/** Features of a mail provider's API that tests may rely on; documented in the table of providers. */
export type EmailFeature =
  | "batch"
  | "attachments"
  | "inline images"
  | "custom headers"
  | "tags"
  | "metadata"
  | "stored templates"
  | "templates of the provider"
  | "schedule"
  | "cancel"
  | "sandbox"
  | "idempotency"
  | "read back";

/** Support of a provider for mail. */
export interface EmailSupport {
  /** Largest request that the provider accepts, in bytes; the limits of the service apply too. */
  readonly requestBytesMax: number;
  /** Most recipients of one mail. */
  readonly recipientCountMax: number;
  /** Emulated features; the conformance suite tests each. */
  readonly features: readonly EmailFeature[];
  /** Returns the UUID in a provider id; "" for anything else. */
  readonly uuidOf: (providerId: string) => string;
}
