/** Contract of the store of scheduled mails, which it keeps until they arrive. */
import type { MessageId } from "../core/ids.ts";

/** Scheduled mail without its raw bytes. */
export interface ScheduledMessage {
  /** UUID of its submission; it contains the server of the first recipient, and no message has it. */
  readonly id: MessageId;
  /** Milliseconds since the Unix epoch, as all instants here. */
  readonly sendAt: number;
  /** Envelope and facts as JSON; opaque to the store. */
  readonly json: string;
  /** Ids of the messages as which it arrives, once the arrival has begun; null before. */
  readonly messages: readonly MessageId[] | null;
  readonly rawBytes: number;
}

/** Mail to schedule. */
export interface NewScheduledMessage extends Pick<ScheduledMessage, "id" | "sendAt" | "json"> {
  readonly raw: Uint8Array;
}

/** Bounds of the scheduled mails of one server. */
export interface ScheduleLimits {
  readonly countMax: number;
  readonly bytesMax: number;
}

/** Request for due mails. */
export interface ScheduleClaim {
  readonly now: number;
  /** Until then no other claim gets the same mails. */
  readonly leasedUntil: number;
  /** Id of this claim. */
  readonly lease: string;
  readonly countMax: number;
}

/** Mail that is due. */
export interface DueMessage extends ScheduledMessage {
  /** Number of claims, including this one. */
  readonly attempts: number;
}

/** Scheduled mails. Each is cancelled, changed or begins to arrive: exactly one of concurrent calls wins. */
export interface ScheduledMessageStore {
  /**
   * Stores all mails in one transaction. Returns false, and stores none, when an id is taken. Rejects with `limit_reached`
   * when a server would exceed its limits.
   */
  addScheduledMessages(emails: readonly NewScheduledMessage[], limits: ScheduleLimits): Promise<boolean>;
  getScheduledMessage(id: MessageId): Promise<ScheduledMessage | undefined>;
  /** Returns the raw mail; undefined when there is no such mail any more. */
  getScheduledRaw(id: MessageId): Promise<Uint8Array | undefined>;
  /** Changes the instant of a mail; false when there is no such mail or its arrival has begun. */
  rescheduleMessage(id: MessageId, sendAt: number): Promise<boolean>;
  /** Removes a mail; false when there is no such mail or its arrival has begun. */
  cancelScheduledMessage(id: MessageId): Promise<boolean>;
  /** Leases due mails, the longest due first, and counts one more attempt of each. */
  claimScheduledMessages(claim: ScheduleClaim): Promise<readonly DueMessage[]>;
  /** Sets the ids of a leased mail; false when the lease has ended, or the mail was cancelled or changed. */
  beginArrival(id: MessageId, lease: string, messages: readonly MessageId[]): Promise<boolean>;
  /** Ends the lease of a mail that has not arrived, which is due again at an instant. */
  postponeArrival(id: MessageId, lease: string, dueAt: number): Promise<void>;
  /** Removes a mail that has arrived, or cannot arrive; does nothing when the lease has ended. */
  removeScheduledMessage(id: MessageId, lease: string): Promise<void>;
  /** Returns the instant at which the next mail is due or the next lease ends; null without mails. */
  nextScheduledAt(): Promise<number | null>;
  countScheduledMessages(): Promise<number>;
  /** Makes every leased mail due at `now`. Only for a single process at its start, when no holder of a lease is running. */
  releaseScheduledMessages(now: number): Promise<void>;
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
