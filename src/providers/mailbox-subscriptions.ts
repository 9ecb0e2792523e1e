/** Subscriptions of applications to changes of mailboxes, which the engine of callbacks delivers. */
import type { ServerId, MessageId } from "../core/ids.ts";
import type { Direction } from "../core/message.ts";
import type { SearchExpression } from "../core/search/search-expression.ts";
import type { CallbackAnswer, CallbackRequest, CallbackSecrets } from "./callbacks.ts";
import type { ProviderObject } from "./email.ts";
import type { MailboxChange, MailboxMessage } from "./mailbox.ts";
import type { ProviderServices } from "./provider.ts";

/** Values of a subscription that its owner may change. */
export interface SubscriptionValues {
  /** Changes of which the application is notified. */
  readonly kinds: readonly MailboxChange["kind"][];
  /**
   * Conditions on the mails by direction, without terms of bodies; of a deleted mail only the direction and the instant of
   * receipt are known.
   */
  readonly where: Readonly<Record<Direction, SearchExpression>>;
  /** Values of the provider's own; texts of at most 12 kB altogether. */
  readonly options: Readonly<Record<string, string>>;
  /** Secret values of the provider's own, which are stored encrypted. */
  readonly secrets: CallbackSecrets;
  /** Instant at which it ends, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Subscription of an application to a mailbox. */
export interface MailboxSubscription extends SubscriptionValues {
  /** UUID. */
  readonly id: string;
  readonly server: ServerId;
  /** Address of the user of the mailbox. */
  readonly address: string;
}

/**
 * Fact about a subscription. `started`: the owner subscribed. `expiring`: it ends soon. `missed`: changes are not reported
 * one by one, because the server was emptied, or its journal no longer had them. `removed`: the service ended it.
 */
export type SubscriptionFact = "started" | "expiring" | "missed" | "removed";

/** Notification of an application. */
export interface MailboxNotification {
  readonly kind: MailboxChange["kind"] | SubscriptionFact;
  /** Null for a fact about the subscription. */
  readonly message: MessageId | null;
  /** Number of the change, or of the last one before the fact. */
  readonly sequence: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Receiver of notifications. */
export interface NotificationReceiver {
  readonly url: string;
  /** Name by which requests call it; "" where they do not. */
  readonly name: string;
}

/** Lists objects of a kind that the owner of a subscription has, those of its server first. */
export type ListOwnObjects = (kind: string) => Promise<readonly ProviderObject[]>;

/** Notifications of a provider about changes of mailboxes. */
export interface MailboxNotifications {
  /** Most notifications of one request. */
  readonly batchCountMax: number;
  /** Returns the receiver of a notification; null without one. All changes have the same. */
  readonly receiverOf: (
    kind: MailboxNotification["kind"],
    subscription: MailboxSubscription,
    objects: ListOwnObjects,
  ) => Promise<NotificationReceiver | null>;
  /** Returns whether the notifications of a subscription have the mail; each then has a request of its own. Never by default. */
  readonly showsMail?: (subscription: MailboxSubscription) => boolean;
  /** Returns the request of notifications; the same body for the same notifications, except what is encrypted or signed. */
  readonly render: (
    notifications: readonly MailboxNotification[],
    subscription: MailboxSubscription,
    parts: NotificationParts,
  ) => CallbackRequest | Promise<CallbackRequest>;
}

/** Parts of a request that depend on its attempt, its receiver and its mail. */
export interface NotificationParts extends Pick<ProviderServices, "now" | "signingIdentity"> {
  readonly receiver: NotificationReceiver;
  /** Mail of the notification; null without {@link MailboxNotifications.showsMail}, for a fact, and when it was deleted. */
  readonly mail: MailboxMessage | null;
}

/**
 * Subscriptions of a caller at one provider: those of its key. They end with their key, their server and at `expiresAt`.
 * Changes reject with `forbidden` for a key that may only read or send.
 */
export interface MailboxSubscriptions {
  /** Returns the subscriptions, oldest first in each server. */
  readonly list: () => Promise<readonly MailboxSubscription[]>;
  /** Returns a subscription; rejects with `not_found`. */
  readonly get: (id: string) => Promise<MailboxSubscription>;
  /** Subscribes to the mailbox of a user, as `openMailbox` opens it; rejects with `limit_reached`. */
  readonly add: (user: string | null, values: SubscriptionValues) => Promise<MailboxSubscription>;
  /** Changes a subscription; rejects with `not_found`. */
  readonly change: (id: string, values: Partial<SubscriptionValues>) => Promise<MailboxSubscription>;
  /** Ends a subscription with its notifications that are not delivered yet; rejects with `not_found`. */
  readonly remove: (id: string) => Promise<void>;
  /** Notifies of a fact; `removed` ends the subscription. Rejects with `not_found`. */
  readonly report: (id: string, fact: SubscriptionFact) => Promise<void>;
  /** Throws a 400 on `url` for one that the policy for targets of callbacks refuses; every request checks it again. */
  readonly checkUrl: (url: string) => void;
  /**
   * Sends a request to the URL that a subscription or webhook is to have, within the policy for targets of callbacks; returns why there
   * is no response without one. Rejects as {@link checkUrl} does.
   */
  readonly send: (url: string, request: CallbackRequest) => Promise<CallbackAnswer | { readonly refusal: string }>;
}
