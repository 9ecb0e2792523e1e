/** The part of the store's contract that holds what leaves until it has left. */
import type { DeliveryStatus } from "../core/delivery.ts";
import type { MessageId } from "../core/ids.ts";
import type { OutboundAllowance } from "./outbound-window.ts";

/** Which way an entry goes: into a server of ours, to the relay, or to a web hook. */
export type OutboxRoute = "inside" | "relay" | "hook";

/** Something that is to leave. */
export interface NewOutboxEntry {
  /** Unique; the same entry again is the entry that is there. */
  readonly id: string;
  /** The sent message whose delivery this is; null for what no server holds. */
  readonly message: MessageId | null;
  readonly route: OutboxRoute;
  /** Envelope sender; "" for the null reverse-path and for hooks. */
  readonly mailFrom: string;
  /** Envelope recipients. */
  readonly rcptTo: readonly string[];
  /** The bytes that leave; null: the raw bytes of the message. */
  readonly content: Uint8Array | null;
  /** `Queued`, or how it ended already. */
  readonly status: DeliveryStatus;
  /** Attempts that it took to end; 1 unless given. One that is queued has none behind it. */
  readonly attempts?: number;
  readonly lastError: string | null;
  /** When it was made and first becomes due, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** What leaves by one call. */
export interface OutboundEntries {
  readonly entries?: readonly NewOutboxEntry[];
  /**
   * Where it is given, entries that are `Queued` and not there yet count, in the same transaction: when they are more than
   * the hour still takes, the call rejects with `too_many_requests` (see `spendAllowance`).
   */
  readonly allowance?: OutboundAllowance | null;
}

/** An entry in the hands of whoever claimed it. */
export interface OutboxEntry extends Omit<NewOutboxEntry, "status" | "attempts" | "lastError"> {
  /** Attempts begun, this one included. */
  readonly attempts: number;
}

/** Asks for entries that are due. */
export interface Claim {
  readonly now: number;
  /** Until then nobody else is given the entries; milliseconds since the Unix epoch. */
  readonly leaseEndsAt: number;
  /** Names this claim; recording an attempt needs it. */
  readonly lease: string;
  readonly limit: number;
}

/** Latest instants at which entries may become due, seen from `now`. */
export interface DueTimeBounds {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Longest pause after 0, 1, 2, … attempts; the last member holds for all further ones. Not empty. */
  readonly pausesMsMax: readonly number[];
  /** Longest lease. */
  readonly leaseMsMax: number;
}

/** How an attempt ended. */
export interface AttemptOutcome {
  readonly entry: string;
  readonly lease: string;
  readonly status: DeliveryStatus;
  /** When a queued entry becomes due again; null for one that has ended. */
  readonly dueAt: number | null;
  readonly lastError: string | null;
  readonly at: number;
}

/** What became of a message's entries, taken together as in `core/delivery.ts`. */
export interface DeliveryState {
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastError: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/**
 * What is on its way out. Entries are made together with their message (`addMessages`) or with the address whose owner
 * they ask (`addVerifiedAddress`). They go with their message: nothing leaves of a message that was deleted before its
 * attempt began.
 */
export interface OutboxStore {
  /**
   * Entries that are due, longest due first, each counted as one more attempt and given to nobody else until the lease
   * ends. A claim whose holder died is claimed again after that.
   */
  claimEntries(claim: Claim): Promise<readonly OutboxEntry[]>;
  /**
   * Moves due times and ends of leases that lie further in the future than any pause or lease can reach to that bound:
   * what is left when the wall clock was set back. Returns the number of entries it changed.
   */
  boundDueTimes(bounds: DueTimeBounds): Promise<number>;
  /** When the next entry becomes due or its lease ends; null when none is left. */
  nextDueAt(): Promise<number | null>;
  /**
   * Records the end of an attempt. Undefined when the lease is no longer held or the message is gone; else the sequence
   * number of the server's change `failed`, which a message's entry that fails for good makes, or null. Ended entries
   * without a message are forgotten.
   */
  recordAttempt(outcome: AttemptOutcome): Promise<{ readonly sequence: number | null } | undefined>;
  /** Makes every leased entry due at `now`. Only for whoever knows that no holder lives: the one process at its start. */
  releaseLeases(now: number): Promise<void>;
  /** Undefined for a message without entries. */
  getDelivery(message: MessageId): Promise<DeliveryState | undefined>;
}
