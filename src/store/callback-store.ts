/** Store of callbacks: a *target* is a configured receiver, a *delivery* one HTTP request with all its attempts. */
import type { MessageId, ServerId } from "../core/ids.ts";
import type { LeasedQueue, WorkOutcome } from "./leased-queue.ts";
import type { DeliveryState } from "./outbox-store.ts";

/**
 * Kind of a target: webhook of this service, event webhook of a provider (`registered`: by the API of the provider), route
 * for inbound mail, or subscription to a mailbox by the API of a provider.
 */
export type TargetKind = "webhook" | "events" | "registered" | "inbound" | "mailbox";

/** State of a target: `paused` by a user; `disabled` because the receiver responded 410, or failed for days. */
export type TargetState = "active" | "paused" | "disabled";

/** Configured receiver of callbacks. */
export interface CallbackTarget {
  /** UUID. */
  readonly id: string;
  readonly server: ServerId;
  readonly kind: TargetKind;
  /** Name of the provider (`events`, `registered`, `mailbox`) or of the shape (`inbound`); "" for webhooks. */
  readonly shape: string;
  /** URL, filters and other settings as JSON of at most 16 kB; opaque to the store. */
  readonly settingsJson: string;
  /** Sealed secrets; null without any. */
  readonly sealedSecrets: Uint8Array | null;
  readonly state: TargetState;
  /** Reason for which the target is disabled, on one line; null unless it is. */
  readonly stateReason: string | null;
  /** Changes of the server up to this one are older than the target, which receives nothing about them. */
  readonly sinceSequence: number;
  /** Number of changes of the target, starting at 1. */
  readonly version: number;
  /** Milliseconds since the Unix epoch, as all instants here. */
  readonly createdAt: number;
}

/** New target; `sinceSequence` becomes the server's last change. */
export type NewTarget = Pick<
  CallbackTarget,
  "id" | "server" | "kind" | "shape" | "settingsJson" | "sealedSecrets" | "createdAt"
>;

/** New values of a target; absent members stay. */
export type TargetChange = Partial<Pick<CallbackTarget, "settingsJson" | "sealedSecrets" | "state" | "stateReason">>;

/**
 * State of a delivery: `Pending` until it succeeds or its last attempt has failed; `Cancelled` when the message that it
 * delivers was deleted before, or its content was erased; `Quarantined` as `QuarantineStore` says.
 */
export type CallbackStatus = "Pending" | "Delivered" | "Failed" | "Cancelled" | "Quarantined";

/** New delivery. */
export interface NewDelivery {
  /** UUID; unique. Adding a delivery whose id exists does nothing. */
  readonly id: string;
  readonly server: ServerId;
  /** Id of the target; null for callbacks to a URL that the application gave with an SMS. */
  readonly target: string | null;
  /**
   * Receiver for fair scheduling: the target's id (which the store uses whatever is given here), else the origin of the
   * URL. Deliveries of one queue share its concurrency; a slow queue delays no other.
   */
  readonly queue: string;
  /** Message that it is about; null without one. */
  readonly message: MessageId | null;
  /** Whether it delivers the message (an SMS reply): it determines `getDelivery`, and is cancelled with the message. */
  readonly deliversMessage: boolean;
  /** Event type or other name that lists show, `message.received`; at most 100 characters. */
  readonly type: string;
  /** Content from which each attempt renders its request, at most 256 kB; opaque to the store. */
  readonly content: Uint8Array;
  /** Attempts before it fails; null for the usual schedule. */
  readonly attemptsMax: number | null;
  /** Instant of the first attempt. */
  readonly dueAt: number;
  readonly createdAt: number;
}

/** One attempt of a delivery. */
export interface CallbackAttempt {
  /** Starts at 1; continues after a replay. */
  readonly number: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly url: string;
  /** Header fields of the request that the service wrote, by name in lower case; credentials masked. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Status of the response; null without one. */
  readonly responseStatus: number | null;
  /** Reason for which the attempt failed, on one line; null for a success. */
  readonly error: string | null;
}

/** Stored delivery. */
export interface StoredDelivery extends Omit<NewDelivery, "content"> {
  /** Order of storage within the store. */
  readonly number: number;
  /** Null after the content was erased. */
  readonly content: Uint8Array | null;
  readonly status: CallbackStatus;
  /** Number of attempts that were started, over all replays. */
  readonly attemptCount: number;
  /** Attempts since it was stored or replayed, including a running one: the position in the schedule. */
  readonly scheduleStep: number;
  /** Finished attempts, oldest first; the last {@link attemptsKeptMax}. */
  readonly attempts: readonly CallbackAttempt[];
  /** Null unless `Pending`. */
  readonly nextAttemptAt: number | null;
}

/** Number of finished attempts that are kept with a delivery. */
export const attemptsKeptMax = 30;

/** Filter and page of a list of deliveries, newest first; null matches all. */
export interface DeliveryFilter {
  readonly target: string | null;
  readonly message: MessageId | null;
  readonly status: CallbackStatus | null;
  readonly type: string | null;
  /** Created at `since` or later and before `before`. */
  readonly since: number | null;
  readonly before: number | null;
}

/** Outcome of an attempt; `dueAt` is null unless the delivery stays pending. */
export interface CallbackOutcome extends WorkOutcome {
  readonly status: Exclude<CallbackStatus, "Cancelled" | "Quarantined">;
  readonly attempt: CallbackAttempt;
  /** New state of its target, when the attempt changes it. */
  readonly disables?: { readonly reason: string };
  /** Whether the attempt shows that its target fails (true) or works (false); absent when it shows neither. */
  readonly isTargetFailing?: boolean;
}

/** Result of recording an outcome. */
export interface RecordedOutcome {
  /** Sequence number of the change `failed` when the delivery of a message has failed permanently, or null. */
  readonly sequence: number | null;
  /** Reason for which the outcome has disabled its target because it has failed for days; absent otherwise. */
  readonly disabled?: string;
}

/** Record that an attempt has delivered a message, of which no events were made yet. */
export interface PendingReport {
  readonly id: string;
  readonly message: MessageId;
}

/** Server whose changes were not yet turned into deliveries completely. */
export interface LaggingServer {
  readonly server: ServerId;
  /** Last change that was processed. */
  readonly cursor: number;
  /** Last change of the server. */
  readonly sequence: number;
}

/** Result of processing changes of a server. */
export interface ProcessedChanges {
  readonly server: ServerId;
  /** The cursor as it was read; the call does nothing unless it is still that. */
  readonly from: number;
  /** Last change that was processed. */
  readonly to: number;
  readonly deliveries: readonly NewDelivery[];
}

/**
 * Targets and deliveries. They are deleted with their server; deliveries also with their target, except those without one.
 * Emptying a server, and deleting a message, cancels deliveries that deliver a message and keeps all others.
 */
export interface CallbackStore {
  /**
   * Adds a target. Rejects with `not_found` for an unknown server, with `limit_reached` when the server has `countMax`
   * targets of this kind, with `conflict` when `isOnly` and the server has one of this kind and shape.
   */
  addTarget(target: NewTarget, rules: { readonly countMax: number; readonly isOnly: boolean }): Promise<CallbackTarget>;
  /** Returns targets of the server, oldest first; all kinds without `kind`. */
  listTargets(server: ServerId, kind?: TargetKind): Promise<readonly CallbackTarget[]>;
  getTarget(id: string): Promise<CallbackTarget | undefined>;
  /**
   * Changes a target; returns undefined when there is none, or when `version` is given and is not its version. Secrets that
   * are replaced are overwritten on disk where the database allows it. A target that becomes active again receives its
   * pending deliveries, which are due at once.
   */
  updateTarget(
    id: string,
    change: TargetChange,
    at: { readonly now: number; readonly version?: number },
  ): Promise<CallbackTarget | undefined>;
  /** Removes a target with its deliveries; false when there is none. */
  removeTarget(id: string): Promise<boolean>;

  /**
   * Returns servers with targets whose last change is newer than their cursor, without `except`, at most `limit`. A server gets its cursor
   * with its first target, at the last change of that moment.
   */
  listLaggingServers(limit: number, except?: readonly ServerId[]): Promise<readonly LaggingServer[]>;
  /** Returns servers that have targets. */
  listTargetServers(): Promise<readonly ServerId[]>;
  /** Stores the deliveries and moves the cursor in one transaction; false when the cursor was moved by another call. */
  processChanges(changes: ProcessedChanges): Promise<boolean>;

  /**
   * Returns reports of delivered messages, oldest first. Outcomes with the status `Delivered` of a delivery with
   * `deliversMessage`, and with the status `Sent` of an outbox entry with a message, add one in their
   * transaction when the server has targets. Several reports may name one message.
   */
  listPendingReports(limit: number): Promise<readonly PendingReport[]>;
  /** Removes reports and stores the deliveries that they caused, as `addDeliveries` does, in one transaction. */
  finishReports(finished: {
    readonly reports: readonly string[];
    readonly deliveries: readonly NewDelivery[];
  }): Promise<void>;

  /**
   * Stores deliveries outside of `processChanges`, `finishReports` and `addMessages` in one transaction. Those whose
   * target, server or delivered message does not exist (any more) are left out, here, in `processChanges` and in
   * `finishReports`.
   */
  addDeliveries(deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Pending deliveries of active targets, or without one; the keys are their `queue`. Keys of which another node has leased
   * deliveries return none, so that deliveries about one message keep their order. An active target that has failed for days
   * is disabled when the outcome is recorded (`disablingReason`).
   */
  readonly queue: LeasedQueue<StoredDelivery, CallbackOutcome, RecordedOutcome>;

  /** Lists deliveries of a server, newest first (by `number`), at most `limit` after skipping `offset`. */
  listDeliveries(
    server: ServerId,
    filter: DeliveryFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<readonly StoredDelivery[]>;
  getCallbackDelivery(id: string): Promise<StoredDelivery | undefined>;
  /**
   * Makes deliveries that are not pending due again at `now`, except those without content and those that would deliver a
   * deleted message; returns their number.
   */
  replayDeliveries(ids: readonly string[], now: number): Promise<number>;
  /** Like `replayDeliveries` for all deliveries of a server that match, in the order of storage, at most `limit`. */
  replayMatching(
    server: ServerId,
    filter: DeliveryFilter,
    at: { readonly now: number; readonly limit: number },
  ): Promise<number>;
  /** Erases the content and the attempts' header fields of a delivery, and cancels it when pending; false without one. */
  eraseDelivery(id: string): Promise<boolean>;
  /**
   * Removes deliveries that are not pending and were created before an instant, and pending ones of inactive targets that
   * were; at most `limit`. Those that deliver a message stay until it is deleted, because they hold its delivery state.
   * Returns their number.
   */
  removeDeliveries(before: number, limit: number): Promise<number>;
  /** Returns the delivery state of a message by its delivery with `deliversMessage`; undefined without one. */
  getMessageDelivery(message: MessageId): Promise<DeliveryState | undefined>;
}
