/** Targets and deliveries as callers see them; instants in milliseconds since the Unix epoch. */
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { CallbackSecrets, CallbackSetting, MailEventType } from "../../providers/callbacks.ts";
import type { CallbackAttempt, CallbackStatus, CallbackTarget, TargetState } from "../../store/callback-store.ts";
import {
  eventSettingsOf,
  inboundSettingsOf,
  webhookSettingsOf,
  type Confirmation,
  type WebhookSettings,
} from "./target-settings.ts";

/** All states of deliveries. */
export const callbackStatuses: readonly CallbackStatus[] = [
  "Pending",
  "Delivered",
  "Failed",
  "Cancelled",
  "Quarantined",
];

/** Attempt of a delivery. */
export type ShownAttempt = CallbackAttempt;

/** Members of all targets. */
export interface ShownTarget {
  readonly id: string;
  readonly server: ServerId;
  readonly url: string;
  readonly state: TargetState;
  /** Reason for which it is disabled; null unless it is. */
  readonly stateReason: string | null;
  readonly createdAt: number;
  /** Signing secret; null except in the response that made it. */
  readonly secret: string | null;
}

/** Webhook of this service. */
export type ShownWebhook = ShownTarget & WebhookSettings;

/** Event webhook of a provider. */
export interface ShownEventWebhook extends ShownTarget {
  readonly provider: string;
  readonly events: readonly MailEventType[];
  /** Settings of the provider that are not secret. */
  readonly settings: CallbackSecrets;
  /** Key by which the application verifies requests; null for none. */
  readonly publicKey: string | null;
  /** Whether the receiver has confirmed; null where the provider asks for no confirmation. */
  readonly confirmed: boolean | null;
}

/** Inbound route. */
export interface ShownInboundRoute extends Omit<ShownEventWebhook, "provider" | "events"> {
  readonly pattern: string;
  readonly shape: string;
}

/** Setting of a format. */
export interface ShownSetting extends Omit<CallbackSetting, "pattern"> {
  /** Regular expression that the whole text matches. */
  readonly pattern?: string;
}

/** Provider with event webhooks, or shape of inbound mail. */
export interface ShownCallbackFormat {
  /** Name of the provider or shape. */
  readonly name: string;
  readonly label: string;
  /** Types that the provider reports; empty for shapes of inbound mail. */
  readonly events: readonly MailEventType[];
  readonly settings: readonly ShownSetting[];
  /** Way in which a receiver verifies requests. */
  readonly verification: string;
}

/** Delivery in a list. */
export interface ShownDelivery {
  readonly id: string;
  readonly server: ServerId;
  readonly target: string | null;
  readonly message: MessageId | null;
  readonly type: string;
  readonly status: CallbackStatus;
  readonly attemptCount: number;
  readonly createdAt: number;
  readonly nextAttemptAt: number | null;
  /** Last finished attempt; null before the first. */
  readonly lastAttempt: ShownAttempt | null;
}

/** Request of a delivery. */
export interface ShownRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The first mebibyte. */
  readonly body: string;
  /** Encoding of `body`. */
  readonly encoding: "text" | "base64";
  /** Size of the whole body in bytes. */
  readonly bodyBytes: number;
}

/** Delivery with its request and attempts. */
export interface ShownDeliveryDetail extends ShownDelivery {
  /** Request as an attempt would send it now; null when its content was erased or its message deleted. */
  readonly request: ShownRequest | null;
  /** Oldest first. */
  readonly attempts: readonly ShownAttempt[];
}

/** Returns a webhook as callers see it. */
export function showWebhook(target: CallbackTarget, secret: string | null = null): ShownWebhook {
  return { ...commonOf(target, secret), ...webhookSettingsOf(target) };
}

/** Returns an event webhook as callers see it. */
export function showEventWebhook(target: CallbackTarget, secret: string | null = null): ShownEventWebhook {
  const { url, events, options, publicKey, confirmation } = eventSettingsOf(target);
  const confirmed = isConfirmed(confirmation);
  return { ...commonOf(target, secret), provider: target.shape, url, events, settings: options, publicKey, confirmed };
}

/** Returns an inbound route as callers see it. */
export function showInboundRoute(target: CallbackTarget, secret: string | null = null): ShownInboundRoute {
  const { url, pattern, options, publicKey, confirmation } = inboundSettingsOf(target);
  const confirmed = isConfirmed(confirmation);
  return { ...commonOf(target, secret), shape: target.shape, pattern, url, settings: options, publicKey, confirmed };
}

function commonOf(target: CallbackTarget, secret: string | null): Omit<ShownTarget, "url"> {
  const { id, server, state, stateReason, createdAt } = target;
  return { id, server, state, stateReason, createdAt, secret };
}

function isConfirmed(confirmation: Confirmation | null): boolean | null {
  return confirmation === null ? null : confirmation.confirmedAt !== null;
}
