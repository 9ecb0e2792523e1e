/**
 * Contract of every store. The conformance suite (`conformance/`) tests all implementations against it.
 *
 * All methods have these properties in common:
 * - When a promise resolves, the call is committed, durable (where the store is opened durable), and visible to every read
 *   that starts afterwards, on any connection.
 * - When a promise rejects, nothing of the call was stored or changed. Rejections are `Problem`s: `storage_full` when the
 *   disk is full, `unavailable` when the store is closed or unreachable; any other error is a bug.
 * - Ids and instants come from the caller; the store has no clock of its own.
 * - Callers fold searchable text with `core/fold.ts`, so that every store finds the same messages.
 * - The store owns the buffers it is given until the promise settles; the caller owns the buffers it receives and must not
 *   write to them.
 */
import type { Change } from "../core/events.ts";
import type { AddressRole, LabelKeys, Page, TextField } from "../core/criteria.ts";
import type { AttachmentId, MessageId, ServerId } from "../core/ids.ts";
import type { StoredMarks } from "../core/marks.ts";
import type { SearchBody, SearchFields } from "../core/search/search-fields.ts";
import type { SearchExpression } from "../core/search/search-expression.ts";
import type { Annotation, AnnotationStore, FoundMessages, MarkStore } from "./mark-store.ts";
import type { AccountStore, AuditStore } from "./account-store.ts";
import type { CallbackStore, NewDelivery } from "./callback-store.ts";
import type { FaultStore } from "./fault-store.ts";
import type { KeyStore, SignInStore } from "./key-store.ts";
import type { OutboundEntries, OutboxStore } from "./outbox-store.ts";
import type { PeopleStore, TeamLimitStore } from "./people-store.ts";
import type {
  PhoneNumberStore,
  PhraseStore,
  IdempotentRequest,
  IdempotencyStore,
  VerifiedAddressStore,
} from "./permission-stores.ts";
import type { MessageContent, RawContent } from "./raw-content.ts";
import type { ProviderObjectStore } from "./provider-object-store.ts";
import type { QuarantineStore } from "./leased-queue.ts";
import type { ReparseStore } from "./reparse-store.ts";
import type { NewScan, ScannerStore } from "./scanner-store.ts";
import type { ScheduledMessageStore } from "./scheduled-message-store.ts";
import type { ServerStore } from "./server-store.ts";

/** Searchable content of a message, folded: addresses by `foldAddress`, texts by `foldText`; labels as they are. */
export interface SearchKeys
  extends Readonly<Record<AddressRole, readonly string[]>>, LabelKeys, Readonly<Record<TextField, unknown>> {
  /** Senders: From field and envelope; no duplicates. */
  readonly from: readonly string[];
  /** Recipients: to, cc, bcc and envelope; no duplicates. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly body: SearchBody;
  /** Further parts that expressions compare. */
  readonly fields: SearchFields;
}

/** New message; its id contains the server, the direction and the instant of receipt. */
export interface NewMessage {
  readonly id: MessageId;
  /** `Summary` as UTF-8 JSON, ready to send. */
  readonly summaryJson: Uint8Array;
  /** Details from which operations build the full message, as UTF-8 JSON; opaque to the store. */
  readonly detailJson: Uint8Array;
  /** Bytes as received; empty for an SMS. */
  readonly raw: Uint8Array;
  readonly keys: SearchKeys;
  /** Annotations, stored in the same transaction; none by default. */
  readonly annotations?: readonly Annotation[];
  /** Marks, stored in the same transaction; none by default. */
  readonly marks?: StoredMarks;
}

/** Message without its search keys, which can be computed from the rest. */
export type WholeMessage = Omit<NewMessage, "keys">;

/** Maximum number of messages that one call of `readMessages` returns. */
export const wholeMessageCountMax = 100;

/**
 * Outcome of inserting one message.
 * - `stored`: stored, with the sequence number of its change. A message that exists already with the same id, raw bytes and
 *   summary is reported as `stored` with its first number, so that callers may repeat an unknown commit.
 * - `collision`: another message has the id or one in its range (see `messageRangeOf`), or another message of the same call
 *   collides in this way. Nothing of the call was stored, and all its messages that did not exist before are reported as
 *   `collision`: repeat them with new ids.
 * - `no_server`: the server does not exist; the other messages of the call were stored.
 */
export type InsertOutcome =
  | { readonly outcome: "stored"; readonly sequence: number }
  | { readonly outcome: "collision" | "no_server" };

/**
 * Options of `addMessages`, and what it stores in the same transaction. Entries of a message are stored only with it, and
 * entries of no message only when at least one message is stored.
 */
export interface InsertOptions extends OutboundEntries {
  /** The call rejects with `conflict` when a message exists for the same scope and key. */
  readonly repeatable?: IdempotentRequest | null;
  /** Callbacks to add; those with `deliversMessage` count against {@link OutboundEntries.allowance} too. */
  readonly deliveries?: readonly NewDelivery[];
  /** Instant at which the messages, which could not be parsed, are parsed again; null for messages that were parsed. */
  readonly reparseAt?: number | null;
  /** Scans of messages of the call to add (see `ScannerStore`). */
  readonly scans?: readonly NewScan[];
  /** Limits that apply, all by default. `storage`: the quotas of servers and teams, not those of day and hour, for an import. */
  readonly limits?: "storage" | "none";
  /** Whether the store may release search bodies once it has copied them; the messages cannot be stored again then. */
  readonly releasesBodies?: boolean;
}

/** Page of summaries, newest first (by id). */
export interface SummaryPage {
  /** JSON of the summaries, separated by commas, without brackets. Equal pages may share the same bytes. */
  readonly json: Uint8Array;
  readonly count: number;
  /** Whether the next page is not empty. */
  readonly hasMore: boolean;
  /** Number of messages over all pages where the store knows it without counting, else null. */
  readonly total: number | null;
  /** Last sequence number of the server: the page misses no message that was committed up to it. */
  readonly cursor: number;
}

/** Page of a search, and its caller. */
export interface SearchPage extends Page {
  /** Key of the caller: keys are served round-robin. By default the server. */
  readonly caller?: string;
  /** Aborts when the caller has disconnected: the search stops and rejects with `unavailable`. */
  readonly signal?: AbortSignal | undefined;
}

/** Page of ids, and its caller. */
export interface FindPage extends SearchPage {
  /** Whether the matches are only counted; then the page may have any size. False by default. */
  readonly countOnly?: boolean;
}

/** Rule by which retention removes messages; null disables a member. */
export interface ExpiryRule {
  /** Removes messages received before this instant, in milliseconds since the Unix epoch. */
  readonly receivedBefore: number | null;
  /** Removes all but this many of the newest messages. */
  readonly keepNewest: number | null;
}

/** Sizes and backlogs of the store, for the metrics. */
export interface StoreStatistics {
  readonly serverCount: number;
  readonly messageCount: number;
  /** Deleted messages whose space has not been reclaimed yet. */
  readonly purgeBacklogCount: number;
  /** Messages that are not indexed yet; searches scan them. */
  readonly indexBacklogCount: number;
  /** Outbox entries that are neither delivered nor failed. */
  readonly outboxBacklogCount: number;
  /** Accepted messages that are held until they become visible. */
  readonly heldMessageCount: number;
  /** 1 while mail is deferred because the disk of the store is full, else 0. */
  readonly storageFull: number;
  /** Bytes on disk. */
  readonly sizeBytes: number;
}

/** Part of the store that holds messages. Lists of servers that do not exist are empty. */
export interface MessageStore {
  /**
   * Stores all messages in one transaction and returns their outcomes in order. Rejects with `quota_exceeded` when a server
   * or its team is over its quota, with `limit_reached` and `too_many_requests` when its team has reached another limit.
   */
  addMessages(messages: readonly NewMessage[], options?: InsertOptions): Promise<readonly InsertOutcome[]>;
  listMessages(server: ServerId, page: Page): Promise<SummaryPage>;
  /**
   * Searches messages by an expression that is within its limits and has no terms of header fields. Results are exact
   * immediately after commit, even while an index lags behind.
   */
  searchMessages(server: ServerId, expression: SearchExpression, page: SearchPage): Promise<SummaryPage>;
  /** Works as {@link searchMessages}, but returns ids, at most `identityCountMax` of a page, or only their number. */
  findMessages(server: ServerId, expression: SearchExpression, page: FindPage): Promise<FoundMessages>;
  /** Returns `detailJson` as it was stored. */
  getDetail(id: MessageId): Promise<Uint8Array | undefined>;
  /** As `getDetail`, with the raw bytes where one read returns both, as of most mails; null where `getRaw` reads them. */
  getContent(id: MessageId): Promise<MessageContent | undefined>;
  /** Returns `raw` as it was stored. */
  getRaw(id: MessageId): Promise<Uint8Array | undefined>;
  /** Opens `raw` for reading in chunks; undefined when there is no such message. It need not be closed. */
  openRaw(id: MessageId): Promise<RawContent | undefined>;
  /**
   * Returns the approximate size of details and raw bytes before compression, in bytes and in the order of the ids; 0 for
   * messages that do not exist.
   */
  measureMessages(server: ServerId, ids: readonly MessageId[]): Promise<readonly number[]>;
  /** Returns the sizes of `raw` in bytes, in the order of the ids; 0 for an SMS and for messages that do not exist. */
  measureRaw(server: ServerId, ids: readonly MessageId[]): Promise<readonly number[]>;
  /**
   * Returns messages of a server, with their annotations and marks, with ids above `after`, in the order of their ids: received ones before sent ones, each
   * oldest first. Stops at about `bytesMax` of raw bytes and details or at {@link wholeMessageCountMax}, but returns at
   * least one message while there is one. Messages stored or deleted between two calls may or may not be in the second.
   */
  readMessages(server: ServerId, after: MessageId | null, bytesMax: number): Promise<readonly WholeMessage[]>;
  /** Returns the message of an attachment id if it exists; the position may be out of range. */
  findMessageOfAttachment(id: AttachmentId): Promise<MessageId | undefined>;
  /** Deletes a message; returns the sequence number of the change, undefined when there is no such message. */
  deleteMessage(id: MessageId): Promise<number | undefined>;
  /**
   * Deletes every message of the server in one small write; space is reclaimed in the background. Returns the sequence
   * number of the change, undefined when there is no such server.
   */
  emptyServer(id: ServerId): Promise<number | undefined>;
  /**
   * Removes the oldest messages that the rule selects, at most 1000 in one step; returns their number and adds it to
   * `Server.retired`. A step may be smaller though more messages are left: repeat until it returns 0.
   */
  expireMessages(server: ServerId, rule: ExpiryRule): Promise<number>;
  /**
   * Returns changes after `sequence`, in order, at most `limit`. Undefined when the journal no longer holds all of them (it
   * keeps at least the last 10,000 of each server, and those after the callback cursor of a server with targets up to
   * 1,000,000) or when the number is in the future.
   */
  listChanges(server: ServerId, sequence: number, limit: number): Promise<readonly Change[] | undefined>;
}

/** Store of all data of the service. */
export interface Store extends ServerStore, KeyStore, MessageStore, AccountStore {
  readonly outbox: OutboxStore;
  readonly verifiedAddresses: VerifiedAddressStore;
  readonly idempotency: IdempotencyStore;
  readonly people: PeopleStore;
  readonly teamLimits: TeamLimitStore;
  readonly phoneNumbers: PhoneNumberStore;
  readonly phrases: PhraseStore;
  readonly signIns: SignInStore;
  readonly audit: AuditStore;
  readonly reparses: ReparseStore;
  readonly annotations: AnnotationStore;
  readonly marks: MarkStore;
  readonly providerObjects: ProviderObjectStore;
  readonly scheduledMessages: ScheduledMessageStore;
  readonly callbacks: CallbackStore;
  readonly faults: FaultStore;
  readonly scanners: ScannerStore;
  readonly quarantine: QuarantineStore;
  /** Resolves when the store can read and write; rejects with `unavailable` or `storage_full` when it cannot. */
  check(): Promise<void>;
  statistics(): Promise<StoreStatistics>;
  /** Closes the store; resolves when all accepted calls are committed and all resources are released. Later calls reject. */
  close(): Promise<void>;
}
