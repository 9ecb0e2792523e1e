/** Contract of the outbox: outbound messages until they are delivered or have failed, and their hourly limit. */
import type { DeliveryStatus } from "../core/delivery.ts";
import type { MessageId } from "../core/ids.ts";
import type { LeasedQueue, WorkOutcome } from "./leased-queue.ts";
import { Problem, type ReachedLimit } from "../core/errors.ts";

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

/** Outcome of an attempt; `dueAt` is null for a final status. Entries without a message are deleted when they have one. */
export interface AttemptOutcome extends WorkOutcome {
  readonly status: DeliveryStatus;
  readonly lastError: string | null;
  readonly at: number;
}

/** Result of recording an outcome. */
export interface RecordedAttempt {
  /** Sequence number of the change `failed` when the entry of a message has failed permanently; else null. */
  readonly sequence: number | null;
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
  /** Entries that are not final. Work without keys. */
  readonly queue: LeasedQueue<OutboxEntry, AttemptOutcome, RecordedAttempt>;
  /** Returns the delivery state of a message; undefined when it has no entries. */
  getDelivery(message: MessageId): Promise<DeliveryState | undefined>;
}

/** Hourly limit that a caller of the store sets. */
export interface OutboundAllowance {
  /** Maximum number of queued entries within an hour, over all nodes and restarts. */
  readonly countMax: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Subject of the limit in errors; the service by default. */
  readonly owner?: string;
  /** Name of the limit in metrics; `outbound` by default. */
  readonly limit?: ReachedLimit;
}

/** State of the limit that a store keeps between calls; both members are 0 at first. */
export interface OutboundWindow {
  /** Start of the hour, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Number of entries in this hour. */
  readonly count: number;
}

const windowMs = 3_600_000;

/** Returns the window at an instant: a new one when its hour is over. */
export function currentWindow(window: OutboundWindow, now: number): OutboundWindow {
  return Math.abs(now - window.startedAt) >= windowMs ? { startedAt: now, count: 0 } : window;
}

/**
 * Returns the window after `count` more entries. An hour starts with its first entry; a clock that was set back by more than
 * an hour starts a new one. Throws `too_many_requests` with the seconds to wait when the limit would be exceeded.
 */
export function spendAllowance(
  window: OutboundWindow,
  { countMax, now, owner, limit = "outbound" }: OutboundAllowance,
  count: number,
): OutboundWindow {
  if (count === 0) return window;
  const { startedAt, count: taken } = currentWindow(window, now);
  if (taken + count <= countMax) return { startedAt, count: taken + count };
  const retryAfterSeconds = Math.max(1, Math.ceil((startedAt + windowMs - now) / 1000));
  const text = `${owner === undefined ? "At" : `${owner} is over its limit: at`} most ${String(countMax)} deliveries leave within an hour`;
  throw new Problem("too_many_requests", { text, retryAfterSeconds, limit });
}
