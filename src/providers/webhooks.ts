/** Webhooks that applications register through the API of a provider; the engine of callbacks delivers their requests. */
import type { CallbackSecrets } from "./callbacks.ts";
import type { JsonObject } from "./formats/json-body.ts";

/** Values of a webhook that its owner may change. All together have at most 15,000 characters of JSON. */
export interface WebhookValues {
  readonly url: string;
  /** Settings of the provider's `EventWebhooks` or `InboundShape`, secret ones and others; absent ones have their defaults. */
  readonly settings: CallbackSecrets;
  /** Whether anything is reported. */
  readonly isActive: boolean;
  /** Facts that only the API of the provider has. */
  readonly facts: JsonObject;
}

/** Mails of which a webhook reports events: those that came through the provider. */
export interface EventSelection {
  /** Names of events, as `nameOf` of the provider's `EventWebhooks` returns them. */
  readonly events: readonly string[];
}

/** Mail that a webhook hands over. */
export interface InboundSelection {
  /** Address in lower case; `*` in its local part stands for any characters. */
  readonly pattern: string;
}

/** Webhook of a caller. */
export type RegisteredWebhook<Selection> = Selection &
  Omit<WebhookValues, "settings"> & {
    /** UUID. */
    readonly id: string;
    /** Secrets by which the receiver verifies requests; none for a key that may not manage webhooks. */
    readonly secrets: CallbackSecrets;
    /** Milliseconds since the Unix epoch. */
    readonly createdAt: number;
  };

/** Attempt to deliver a request to a webhook; requests of several events have an attempt for each. */
export interface WebhookAttempt {
  /** Instant at which it started, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Header fields of the request, by name in lower case; credentials masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** Status of the response; null without one. */
  readonly status: number | null;
  readonly isFailed: boolean;
}

/**
 * Webhooks of one kind in the server of a restricted key, else in the catch-all; for a key that is not stored, only those that
 * such keys registered. Changes reject with `forbidden` for a key that may only read or send, and with a 400 that names `url`,
 * `pattern`, `settings` or `facts`.
 */
export interface Webhooks<Selection> {
  /** Returns the webhooks, oldest first; at most 100. */
  readonly list: () => Promise<readonly RegisteredWebhook<Selection>[]>;
  /** Registers a webhook; rejects with `limit_reached`. */
  readonly add: (values: WebhookValues & Selection) => Promise<RegisteredWebhook<Selection>>;
  /** Changes a webhook; rejects with `not_found`. New secret settings replace all earlier ones. */
  readonly change: (id: string, values: Partial<WebhookValues & Selection>) => Promise<RegisteredWebhook<Selection>>;
  /** Removes a webhook with what it has not delivered; rejects with `not_found`. */
  readonly remove: (id: string) => Promise<void>;
  /**
   * Returns the attempts of the newest thousand deliveries that were made since an instant, in milliseconds since the Unix
   * epoch, newest delivery first; rejects with `not_found`.
   */
  readonly attempts: (id: string, since: number) => Promise<readonly WebhookAttempt[]>;
}

/** Webhooks of a caller at one provider. */
export interface ProviderWebhooks {
  readonly events: Webhooks<EventSelection>;
  readonly inbound: Webhooks<InboundSelection>;
}
