/** Contract of the outbox: outbound messages until they are delivered or have failed. */
import type { DeliveryStatus } from "../core/delivery.ts";
import type { MessageId } from "../core/ids.ts";
import type { OutboundAllowance } from "./outbound-window.ts";

/** Destination of an entry: a server of this service, the relay, or a webhook. */
export type OutboxRoute = "inside" | "relay" | "hook";

/** New outbox entry. */
export interface NewOutboxEntry {
  /** Unique; adding an entry whose id exists does nothing. */
  readonly id: string;
  /** Sent message that the entry delivers; null when no server holds it. */
  readonly message: MessageId | null;
  readonly route: OutboxRoute;
  /** Envelope sender; "" for the null reverse-path and for webhooks. */
  readonly mailFrom: string;
  /** Envelope recipients. */
  readonly rcptTo: readonly string[];
  /** Bytes to deliver; null: the raw bytes of the message. */
  readonly content: Uint8Array | null;
  /** `Queued`, or the final status of an entry that needs no attempt. */
  readonly status: DeliveryStatus;
  /** Number of attempts of an entry with a final status; 1 by default. */
  readonly attempts?: number;
  readonly lastError: string | null;
  /** Instant at which it was created and first becomes due, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Outbox entries that one call adds. */
export interface OutboundEntries {
  readonly entries?: readonly NewOutboxEntry[];
  /**
   * Hourly limit. New entries that are `Queued` count against it in the same transaction; when they exceed it, the call
   * rejects with `too_many_requests` (see `spendAllowance`).
   */
  readonly allowance?: OutboundAllowance | null;
}

/** Claimed outbox entry. */
export interface OutboxEntry extends Omit<NewOutboxEntry, "status" | "attempts" | "lastError"> {
  /** Number of attempts, including this one. */
  readonly attempts: number;
}

/** Request for due entries. */
export interface Claim {
  readonly now: number;
  /** End of the lease: until then no other claim returns the entries; milliseconds since the Unix epoch. */
  readonly leaseEndsAt: number;
  /** Id of this claim; `recordAttempt` needs it. */
  readonly lease: string;
  readonly limit: number;
}

/** Leases of attempts that are running. */
export interface LeaseExtension {
  readonly attempts: readonly { readonly entry: string; readonly lease: string }[];
  /** New end of the leases, in milliseconds since the Unix epoch. */
  readonly leaseEndsAt: number;
}

/** Bounds of pauses and leases, counted from `now`. */
export interface DueTimeBounds {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Longest pause after 0, 1, 2, … attempts; the last member applies to all further ones. Not empty. */
  readonly pausesMsMax: readonly number[];
  /** Longest lease. */
  readonly leaseMsMax: number;
}

/** Outcome of an attempt. */
export interface AttemptOutcome {
  readonly entry: string;
  readonly lease: string;
  readonly status: DeliveryStatus;
  /** Instant at which a queued entry becomes due again; null for a final status. */
  readonly dueAt: number | null;
  readonly lastError: string | null;
  readonly at: number;
}

/** Delivery state of a message, combined from its entries as in `core/delivery.ts`. */
export interface DeliveryState {
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastError: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/**
 * Outbox. Entries are added together with their message (`addMessages`) or with the address that they verify
 * (`addVerifiedAddress`), and deleted with their message: a message that is deleted before an attempt is not delivered.
 */
export interface OutboxStore {
  /**
   * Leases due entries, the longest due first, and counts one more attempt of each. No other claim returns them until the
   * lease expires.
   */
  claimEntries(claim: Claim): Promise<readonly OutboxEntry[]>;
  /** Moves the end of leases; ignores entries whose lease has expired and was taken by another claim, or that were deleted. */
  extendLeases(extension: LeaseExtension): Promise<void>;
  /**
   * Shortens pauses and leases that are longer than possible, because the wall clock was set back, to their bounds.
   * Returns the number of entries it changed.
   */
  boundDueTimes(bounds: DueTimeBounds): Promise<number>;
  /** Returns the instant at which the next entry becomes due or the next lease expires; null when no entry is queued. */
  nextDueAt(): Promise<number | null>;
  /**
   * Records the outcome of an attempt. Returns undefined when the lease has expired or the message was deleted; else the
   * sequence number of the change `failed` when the entry of a message has failed permanently, or null. Entries without a
   * message are deleted when they have a final status.
   */
  recordAttempt(outcome: AttemptOutcome): Promise<{ readonly sequence: number | null } | undefined>;
  /** Makes every leased entry due at `now`. Only for a single process at its start, when no holder of a lease is running. */
  releaseLeases(now: number): Promise<void>;
  /** Returns the delivery state of a message; undefined when it has no entries. */
  getDelivery(message: MessageId): Promise<DeliveryState | undefined>;
}
