/** Mailbox of a user: the mail of a server, for providers whose APIs read and change it. */
import type { AttachmentId, MessageId, ServerId } from "../core/ids.ts";
import type { MarkChange, Marks } from "../core/marks.ts";
import type { Direction, Message } from "../core/message.ts";
import type { SpamVerdict } from "../core/spam.ts";
import type { SearchExpression } from "../core/search/search-expression.ts";

/** Server whose mail a caller may read. */
export interface ReadableServer {
  readonly id: ServerId;
  readonly name: string;
}

/** Mails of a list. */
export interface MailboxFilter {
  /** Condition on the mails, also with terms of header fields; within the limits of searches. */
  readonly expression: SearchExpression;
  /** Received mails, or those that were sent; null for both. */
  readonly direction: Direction | null;
}

/** Section of a list. */
export interface MailboxSection extends MailboxFilter {
  /** Mails that are left out at the beginning; 0 by default. */
  readonly skip?: number;
  /** At most 1000. */
  readonly top: number;
  /** `newest` by default. `oldest` reads the ids of all matches. */
  readonly first?: "newest" | "oldest";
  /** Only mails older than this one, whether it still exists or not; only with the newest first. */
  readonly before?: MessageId;
}

/** Ids of a section, in its order. */
export interface MailboxPage {
  readonly ids: readonly MessageId[];
  readonly hasMore: boolean;
  /** Number of the last change of the server that the page includes: where {@link ProviderMailbox.changes} continue. */
  readonly cursor: number;
}

/** Mail of a mailbox. */
export interface MailboxMessage {
  readonly id: MessageId;
  readonly direction: Direction;
  readonly message: Message;
  readonly marks: Marks;
  /** Size of the source. */
  readonly sizeBytes: number;
}

/** Facts about a mail that are known without its content. */
export interface MailboxOutline {
  /** Start of its visible text, about 200 characters. */
  readonly excerpt: string;
  /** Number of the last change of the mail or of its marks. */
  readonly sequence: number;
}

/** Change of a mail since a cursor; a later change of the same mail has an entry of its own. */
export interface MailboxChange {
  readonly sequence: number;
  readonly kind: "added" | "deleted" | "marked";
  /** Also of SMS, which {@link ProviderMailbox.read} leaves out. */
  readonly id: MessageId;
}

/** Changes in the order of their commits. */
export interface MailboxChanges {
  readonly changes: readonly MailboxChange[];
  /** Cursor of the next call. */
  readonly cursor: number;
  readonly hasMore: boolean;
}

/** Feature of HTML, and the email clients that do not support it. */
export interface UnsupportedFeature {
  readonly title: string;
  readonly unsupported: readonly string[];
}

/** Mail that is stored in a mailbox and sent to nobody, such as a copy of a sent one. */
export interface PlacedEmail {
  readonly raw: Uint8Array;
  readonly direction: Direction;
  readonly marks: Marks;
  /** Returns the provider's id, from which its `uuidOf` returns the id of the message. */
  readonly providerIdOf: (id: MessageId) => string;
}

/**
 * Mails of one server, as far as the caller may read them: a caller whose key is not stored reads and changes only mails that
 * came through the provider. Changes reject with `forbidden` for a key that may only read or send.
 */
export interface ProviderMailbox {
  /** Address of the user: the one that opened the mailbox, else `me` at the mail domain of the server. */
  readonly address: string;
  /** Returns a section of the mails that match; stops when the caller disconnects. */
  readonly list: (section: MailboxSection) => Promise<MailboxPage>;
  /** Returns the number of mails that match. */
  readonly count: (filter: MailboxFilter) => Promise<number>;
  /**
   * Returns the mails in the order of the ids, without those that do not exist, SMS, and those of another mailbox. Bodies
   * beyond the budget of a page (64 MB) are null.
   */
  readonly read: (ids: readonly MessageId[]) => Promise<readonly MailboxMessage[]>;
  /** As {@link read}, with all bodies null, which takes less time and memory. */
  readonly readHeads: (ids: readonly MessageId[]) => Promise<readonly MailboxMessage[]>;
  /** Returns the outline of a mail that {@link read} returns; rejects with `not_found`. */
  readonly outline: (id: MessageId) => Promise<MailboxOutline>;
  /** Returns the ids of the mails in the thread of a mail, oldest first; rejects with `not_found`. */
  readonly thread: (id: MessageId) => Promise<readonly MessageId[]>;
  /** Returns a mail; rejects with `not_found`. */
  readonly get: (id: string) => Promise<MailboxMessage>;
  /** Returns the source of a mail; rejects with `not_found`. */
  readonly getRaw: (id: string) => Promise<Uint8Array>;
  /** Returns the spam verdict on a mail; rejects with `not_found`. */
  readonly checkSpam: (id: string) => Promise<SpamVerdict>;
  /** Returns the features of a mail's HTML that email clients do not support; null without HTML. Rejects with `not_found`. */
  readonly checkHtml: (id: string) => Promise<readonly UnsupportedFeature[] | null>;
  /** Returns the decoded content of an attachment; rejects with `not_found`. */
  readonly getAttachment: (id: AttachmentId) => Promise<Uint8Array>;
  /**
   * Changes flags (`seen` is the read mark) and tags of at most `markedMessageCountMax` mails; ids of none are ignored.
   * Rejects with a 400 that names `addTags`.
   */
  readonly mark: (ids: readonly string[], change: MarkChange) => Promise<void>;
  /** Returns the tags of the mails that the caller may read, by name. */
  readonly listTags: () => Promise<readonly string[]>;
  /** Deletes a mail; rejects with `not_found`. */
  readonly remove: (id: string) => Promise<void>;
  /** Deletes mails together; ids of none are ignored. Rejects with `unavailable` when some cannot be deleted. */
  readonly removeEach: (ids: readonly MessageId[]) => Promise<void>;
  /** Stores a mail; rejects as the admission of mail does. */
  readonly place: (email: PlacedEmail) => Promise<MessageId>;
  /**
   * Returns at most `limit` changes after a cursor; to a caller whose key is not stored, only those of mails that came through
   * the provider, and of the deleted ones only those that such callers deleted within a day. Undefined when they are no longer known, or the server was emptied: the
   * caller reads the mailbox anew.
   */
  readonly changes: (cursor: number, limit: number) => Promise<MailboxChanges | undefined>;
}
