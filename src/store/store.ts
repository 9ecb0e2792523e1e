/**
 * The contract of every store. One conformance suite (`conformance/`) holds all implementations to it.
 *
 * What all methods share:
 * - A promise that resolves means: committed, durable (where the store is opened durable), and visible to every read
 *   that starts afterwards, on any connection.
 * - A promise that rejects means: nothing of the call was stored or changed. Rejections are `Problem`s:
 *   `storage_full` when the medium has no room, `unavailable` when the store is closed or unreachable; anything else is a
 *   fault of ours.
 * - Ids and instants come from the caller; the store has no clock of its own.
 * - Texts to search are folded by the caller with `core/fold.ts`, so that every store finds the same.
 * - Buffers that are handed in belong to the store until the promise settles; those that come out belong to the caller
 *   and must not be written to.
 */
import type { Change } from "../core/change.ts";
import type { AddressRole, Criteria, Page, TextField } from "../core/criteria.ts";
import type { StoredDevice } from "../core/device.ts";
import type { AttachmentId, MessageId, ServerId } from "../core/ids.ts";
import type { ServerQuota } from "../core/server-quota.ts";
import type { Retention, Server, ServerChange } from "../core/server.ts";
import type { AuditStore } from "./audit-store.ts";
import type { KeyStore } from "./key-store.ts";
import type { OutboundEntries, OutboxStore } from "./outbox-store.ts";
import type {
  PhoneNumberStore,
  PhraseStore,
  IdempotentRequest,
  IdempotencyStore,
  VerifiedAddressStore,
} from "./permission-stores.ts";
import type { RawContent } from "./raw-content.ts";
import type { RereadStore } from "./reread-store.ts";
import type { SignInStore } from "./sign-in-store.ts";
import type { DayUsage } from "../core/usage.ts";

/** A new server. `password` opens SMTP AUTH; the store keeps it as given: callers seal it. */
export interface NewServer {
  readonly id: ServerId;
  readonly name: string;
  readonly password: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** What a server that was somewhere else before brings along; nobody and nothing unless given. */
  readonly users?: readonly string[];
  readonly retention?: Retention;
  readonly quota?: Partial<ServerQuota>;
  readonly retired?: number;
}

/** Everything search may look at, already folded. Addresses by `foldAddress`, texts by `foldText`. */
export interface SearchKeys
  extends Readonly<Record<AddressRole, readonly string[]>>, Readonly<Record<TextField, string>> {
  /** Senders: From field and envelope; no duplicates. */
  readonly from: readonly string[];
  /** Recipients: to, cc, bcc and envelope; no duplicates. */
  readonly to: readonly string[];
  readonly subject: string;
  /** Text part, HTML source and visible text, joined by line feeds. */
  readonly body: string;
}

/** A message to be stored; its id tells the server, the direction and the instant of receipt. */
export interface NewMessage {
  readonly id: MessageId;
  /** The `Summary` as UTF-8 JSON, ready to be sent. */
  readonly summaryJson: Uint8Array;
  /** Whatever the operations need to show the full message, as UTF-8 JSON; opaque to the store. */
  readonly detailJson: Uint8Array;
  /** The bytes as received; empty where the message has none (SMS). */
  readonly raw: Uint8Array;
  readonly keys: SearchKeys;
}

/** All of a message that its search keys can be made from again. */
export type WholeMessage = Omit<NewMessage, "keys">;

/** Messages that one call of `readMessages` answers at most. */
export const wholeMessageCountMax = 100;

/**
 * How storing one message ended.
 * - `stored`: with the sequence number of its change. A message whose id is already there with the same raw bytes and
 *   summary is `stored` again under its first number, so that repeating an unknown commit is harmless.
 * - `collision`: another message owns the id or a neighbouring one (see `messageRangeOf`), or another of the same call
 *   collides so; nothing of the call was stored, and all its messages that were not there before answer `collision`:
 *   repeat them with new ids.
 * - `no_server`: the server does not exist (any more); the other messages of the call were stored.
 */
export type InsertOutcome =
  | { readonly outcome: "stored"; readonly sequence: number }
  | { readonly outcome: "collision" | "no_server" };

/**
 * What is stored in the transaction of some messages, as far as these are stored; nothing where they collide. Entries that
 * belong to no message are stored where one of the messages is.
 */
export interface InsertOptions extends OutboundEntries {
  /** Where another message was made for the same scope and key, the call rejects with `conflict`. */
  readonly repeatable?: IdempotentRequest | null;
  /**
   * When the messages, which could not be read, are to be read again (see `RereadStore`), in milliseconds since the Unix
   * epoch; null for messages that were read.
   */
  readonly rereadAt?: number | null;
  /** Whether quotas are ignored, for an import or a repair. */
  readonly ignoresQuota?: boolean;
}

/** Criteria whose values are folded. */
export type FoldedCriteria = Criteria;

/** One page of summaries, newest first (by id). */
export interface SummaryPage {
  /** The summaries' JSON, joined by commas, without brackets. Equal answers may be the same bytes. */
  readonly json: Uint8Array;
  readonly count: number;
  /** Whether the next page holds anything. */
  readonly hasMore: boolean;
  /** How many there are over all pages, where that is known without counting; else null. */
  readonly total: number | null;
  /** The server's last sequence number: no message committed up to it is missing from this answer. */
  readonly cursor: number;
}

/** Page of a search, and who waits for it. */
export interface SearchPage extends Page {
  /** Key that asks: keys are served round-robin. By default the server. */
  readonly caller?: string;
  /** Aborts when nobody waits for the answer any more: the search ends and rejects with `unavailable`. */
  readonly signal?: AbortSignal | undefined;
}

/** Which messages retention removes; null switches a rule off. */
export interface ExpiryRule {
  /** Messages received before this instant, in milliseconds since the Unix epoch. */
  readonly receivedBefore: number | null;
  /** All but this many of the newest. */
  readonly keepNewest: number | null;
}

/** What the store holds and still has to do, for the metrics. */
export interface StoreStatistics {
  readonly serverCount: number;
  readonly messageCount: number;
  /** Messages that are deleted for every reader and whose space is still to be reclaimed. */
  readonly purgeBacklogCount: number;
  /** Messages that search still finds by scanning, because the index runs behind. */
  readonly indexBacklogCount: number;
  /** Outbox entries that have not ended. */
  readonly outboxBacklogCount: number;
  /** 1 while mail is refused because the disk of the store is full, else 0. */
  readonly storageFull: number;
  /** Bytes on the medium. */
  readonly sizeBytes: number;
}

/** Servers. */
export interface ServerStore {
  /** Rejects with `conflict` when the id is taken. */
  createServer(server: NewServer): Promise<Server>;
  /** All servers, by name (Unicode code points, ignoring case), then by id. */
  listServers(): Promise<readonly Server[]>;
  getServer(id: ServerId): Promise<Server | undefined>;
  /**
   * Whether the server exists; for whoever only decides to go on. Where several nodes share a store it may stay true for a
   * second after another node has deleted the server: storing says `no_server` then.
   */
  hasServer(id: ServerId): Promise<boolean>;
  /** The server made first (of several made in one instant, the one with the smallest id). Does not look at the others. */
  findOldestServer(): Promise<Server | undefined>;
  /** Servers that have a retention rule, or that expire at `now` or before; in any order. Does not look at the others. */
  listServersForMaintenance(now: number): Promise<readonly Server[]>;
  /** The password as it was stored; undefined when there is no such server. */
  getServerPassword(id: ServerId): Promise<string | undefined>;
  /**
   * Stores another password for a server and overwrites the former one where the database allows it. False when there is
   * no such server, or when its password differs from `present` where that is given.
   */
  setServerPassword(id: ServerId, password: string, present?: string): Promise<boolean>;
  /** Undefined when there is no such server. */
  updateServer(id: ServerId, change: ServerChange): Promise<Server | undefined>;
  /** Removes the server, its keys, their sign-ins and its messages, at once for every reader; false when there is no such server. */
  deleteServer(id: ServerId): Promise<boolean>;
}

/** Messages and everything asked of them. Unknown servers hold nothing: their lists are empty. */
export interface MessageStore {
  /** Stores all in one transaction; answers in order. Rejects with `quota_exceeded` when a server has no room. */
  addMessages(messages: readonly NewMessage[], insertOptions?: InsertOptions): Promise<readonly InsertOutcome[]>;
  listMessages(server: ServerId, page: Page): Promise<SummaryPage>;
  /** Exact immediately after commit, even while an index lags behind. */
  searchMessages(server: ServerId, criteria: FoldedCriteria, page: SearchPage): Promise<SummaryPage>;
  /** `detailJson` as it was handed in. */
  getDetail(id: MessageId): Promise<Uint8Array | undefined>;
  /** `raw` as it was handed in. */
  getRaw(id: MessageId): Promise<Uint8Array | undefined>;
  /** Opens `raw` for reading in pieces; undefined when there is no such message. Nothing needs to be closed. */
  openRaw(id: MessageId): Promise<RawContent | undefined>;
  /** About how many bytes details and raw bytes take before compression, in the order of the ids; 0 for absent messages. */
  measureMessages(server: ServerId, ids: readonly MessageId[]): Promise<readonly number[]>;
  /**
   * Messages of a server behind `after`, in the order of their ids: received ones before sent ones, each oldest first. As
   * many as keep raw bytes and details below about `bytesMax`, at most {@link wholeMessageCountMax}, but one where there
   * is one: an empty answer is the end. What comes or goes between two calls may be in the second or not.
   */
  readMessages(server: ServerId, after: MessageId | null, bytesMax: number): Promise<readonly WholeMessage[]>;
  /** The message that owns an attachment id, if it is still there; the position may still lie outside. */
  findMessageOfAttachment(id: AttachmentId): Promise<MessageId | undefined>;
  /** The sequence number of the deletion, or undefined when there is no such message. */
  deleteMessage(id: MessageId): Promise<number | undefined>;
  /**
   * Deletes every message of the server in one small write, whatever their number; space is reclaimed behind.
   * The sequence number of the change, or undefined when there is no such server.
   */
  emptyServer(id: ServerId): Promise<number | undefined>;
  /**
   * Removes what the rule names, the oldest first, in one step of at most 1000; answers how many, counted in
   * `Server.retired`. A step may be smaller though more is left: repeat until it answers 0.
   */
  expireMessages(server: ServerId, rule: ExpiryRule): Promise<number>;
  /**
   * Changes after `sequence`, in order, at most `limit`. Undefined when some of them are no longer remembered (the store
   * keeps at least the last 10,000 of each server) or the number lies in the future.
   */
  listChanges(server: ServerId, sequence: number, limit: number): Promise<readonly Change[] | undefined>;
}

/** What belongs to the account, and the zones that stand in for the name system. */
export interface AccountStore {
  /** Rejects with `conflict` when the id is taken. */
  addDevice(device: StoredDevice): Promise<void>;
  /** All devices, oldest first. */
  listDevices(): Promise<readonly StoredDevice[]>;
  getDevice(id: string): Promise<StoredDevice | undefined>;
  /** False when there is no such device. */
  removeDevice(id: string): Promise<boolean>;
  /**
   * Messages stored from `sinceDay` on, by the day of their receipt (see {@link DayUsage}), oldest day first; days
   * without any are left out. Counted in the transaction that stores them, once each; deleting takes nothing back.
   */
  listUsage(sinceDay: number): Promise<readonly DayUsage[]>;
  /** Raises the counts of days to these where they are lower; takes nothing back. */
  raiseUsage(usage: readonly DayUsage[]): Promise<void>;
  /** Keeps a zone file for a server in place of the one before; false when there is no such server. */
  putZone(server: ServerId, zone: string): Promise<boolean>;
  /** The zone file as it was put; undefined when there is none. It goes with its server. */
  getZone(server: ServerId): Promise<string | undefined>;
  /** False when there was none. */
  removeZone(server: ServerId): Promise<boolean>;
}

/** A store: servers, messages, the account, what leaves, and its own upkeep. */
export interface Store extends ServerStore, KeyStore, MessageStore, AccountStore {
  readonly outbox: OutboxStore;
  readonly verifiedAddresses: VerifiedAddressStore;
  readonly idempotency: IdempotencyStore;
  readonly phoneNumbers: PhoneNumberStore;
  readonly phrases: PhraseStore;
  readonly signIns: SignInStore;
  readonly audit: AuditStore;
  readonly rereads: RereadStore;
  /** Resolves when the store can read and write; rejects with `unavailable` or `storage_full` when it cannot. */
  check(): Promise<void>;
  statistics(): Promise<StoreStatistics>;
  /** Writes a consistent copy of everything to a file that must not exist, while others go on. */
  backup(file: string): Promise<void>;
  /** Resolves when all that was accepted is committed and everything is released. Later calls reject. */
  close(): Promise<void>;
}

/** What is asked of a store to take everything out of it. */
export interface StoreSource
  extends
    Pick<ServerStore, "listServers" | "getServerPassword">,
    Pick<KeyStore, "listKeys">,
    Pick<MessageStore, "readMessages">,
    Pick<AccountStore, "listDevices" | "listUsage" | "getZone"> {
  readonly outbox: Pick<OutboxStore, "getDelivery">;
  readonly verifiedAddresses: Pick<VerifiedAddressStore, "listVerifiedAddresses">;
  readonly phoneNumbers: Pick<PhoneNumberStore, "listPhoneNumbers">;
  readonly phrases: Pick<PhraseStore, "getPhrases">;
  close(): Promise<void>;
}
