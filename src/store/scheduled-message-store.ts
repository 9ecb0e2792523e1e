/**
 * Contract of the store of messages that arrive later: scheduled by their sender, or held after they were accepted. They
 * are in no list or search until they arrive.
 */
import type { MessageId, ServerId } from "../core/ids.ts";
import type { ServerUsage } from "../core/server.ts";
import type { LeasedQueue } from "./leased-queue.ts";

/** Message that arrives later, without its raw bytes. */
export interface ScheduledMessage {
  /** UUID of its submission; it contains the server of the first recipient, and no message has it. */
  readonly id: MessageId;
  /** Milliseconds since the Unix epoch, as all instants here. */
  readonly sendAt: number;
  /**
   * Instant at which a held message was accepted; null for a scheduled one. A held message is in one server, counts towards
   * its quota, can be neither cancelled nor changed by its sender, and is deleted when its server is emptied or deleted.
   */
  readonly acceptedAt: number | null;
  /** Content and facts as JSON; opaque to the store. */
  readonly json: string;
  /** Ids of the messages as which it arrives, once the arrival has begun; null before. */
  readonly messages: readonly MessageId[] | null;
  readonly rawBytes: number;
  /** Instant since which it waits to be retried by hand, because its arrivals ended the process; null otherwise. */
  readonly quarantinedAt: number | null;
}

/** Message to schedule or to hold. */
export interface NewScheduledMessage extends Pick<ScheduledMessage, "id" | "sendAt" | "acceptedAt" | "json"> {
  readonly raw: Uint8Array;
}

/** Page of held messages, which starts at 0. */
export interface HeldPage {
  readonly messages: readonly ScheduledMessage[];
  readonly hasMore: boolean;
}

/** Bounds of the scheduled and held messages of one server. */
export interface ScheduleLimits {
  readonly countMax: number;
  readonly bytesMax: number;
}

/** Message that is due. */
export interface DueMessage extends ScheduledMessage {
  /** Whether its server was emptied or deleted while it was held: it must not arrive, and is only removed. */
  readonly isDeleted: boolean;
  /** Number of claims, including this one. */
  readonly attempts: number;
}

/** Messages that arrive later. Each is cancelled, changed or begins to arrive: exactly one of concurrent calls wins. */
export interface ScheduledMessageStore {
  /**
   * Stores all messages in one transaction. Returns false, and stores none, when an id is taken. Rejects with
   * `limit_reached` when a server would exceed its limits; for held ones with `quota_exceeded` when their server would
   * exceed its quota, and with `recipient_unknown` when it does not exist.
   */
  addScheduledMessages(messages: readonly NewScheduledMessage[], limits: ScheduleLimits): Promise<boolean>;
  getScheduledMessage(id: MessageId): Promise<ScheduledMessage | undefined>;
  /** Returns the raw mail; undefined when there is no such message any more. */
  getScheduledRaw(id: MessageId): Promise<Uint8Array | undefined>;
  /** Changes the instant of a scheduled message; false when there is none, it is held, or its arrival has begun. */
  rescheduleMessage(id: MessageId, sendAt: number): Promise<boolean>;
  /** Removes a scheduled message; false when there is none, it is held, or its arrival has begun. */
  cancelScheduledMessage(id: MessageId): Promise<boolean>;
  /** Removes held messages whose sender was not told that they were accepted, unless their arrival has begun. */
  withdrawHeldMessages(ids: readonly MessageId[]): Promise<void>;
  /** Returns the number and the bytes of the held messages of a server, which count towards its quota. */
  measureHeldMessages(server: ServerId): Promise<ServerUsage>;
  /** Returns a page of the held messages of a server that have not begun to arrive, or are quarantined; the next one first. */
  listHeldMessages(server: ServerId, page: number, itemsPerPage: number): Promise<HeldPage>;
  /**
   * Messages that have not arrived. Work without keys. An outcome removes a message that has arrived or cannot arrive, or
   * postpones its arrival, with other ids.
   */
  readonly queue: LeasedQueue<DueMessage>;
  /** Sets the ids of a leased message; false when the lease has ended, or the message was cancelled or changed. */
  beginArrival(id: MessageId, lease: string, messages: readonly MessageId[]): Promise<boolean>;
}

/** Size of a chunk in which raw mails are stored. */
export const scheduledChunkBytes: number = 1024 * 1024;

/** Returns the chunks of a raw mail, at least one. */
export function scheduledChunks(raw: Uint8Array): readonly Uint8Array[] {
  const count = Math.max(1, Math.ceil(raw.length / scheduledChunkBytes));
  return Array.from({ length: count }, (_, at) =>
    raw.subarray(at * scheduledChunkBytes, (at + 1) * scheduledChunkBytes),
  );
}

/** Bytes that a held message counts for, in its server's quota and in the limits: its raw bytes and its stored content. */
export function heldBytes({ raw, json }: Pick<NewScheduledMessage, "raw" | "json">): number {
  return raw.length + Buffer.byteLength(json);
}
