/** Targets and deliveries as callers see them; instants in milliseconds since the Unix epoch. */
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { CallbackSecrets, CallbackSetting, MailEventType } from "../../providers/callbacks.ts";
import type {
  CallbackAttempt,
  CallbackStatus,
  CallbackTarget,
  TargetKind,
  TargetState,
} from "../../store/callback-store.ts";
import { settingsOf, type ShapedSettings, type WebhookSettings } from "./target-settings.ts";

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

/** Targets as callers see them, by their kinds. */
export interface ShownTargets {
  readonly webhook: ShownWebhook;
  readonly events: ShownEventWebhook;
  readonly inbound: ShownInboundRoute;
}

/** Members of the settings of a target. */
const shownSettings: {
  readonly [Kind in TargetKind]: (
    target: CallbackTarget,
  ) => Omit<ShownTargets[Kind], Exclude<keyof ShownTarget, "url">>;
} = {
  webhook: (target) => settingsOf("webhook", target),
  events: (target) => {
    const { url, events, ...shaped } = settingsOf("events", target);
    return { provider: target.shape, url, events, ...showShaped(shaped) };
  },
  inbound: (target) => {
    const { url, pattern, ...shaped } = settingsOf("inbound", target);
    return { shape: target.shape, pattern, url, ...showShaped(shaped) };
  },
};

/** Returns a target of this kind as callers see it. */
export function showTarget<Kind extends TargetKind>(
  kind: Kind,
  target: CallbackTarget,
  secret: string | null = null,
): ShownTargets[Kind] {
  const { id, server, state, stateReason, createdAt } = target;
  const shown = { id, server, state, stateReason, createdAt, secret, ...shownSettings[kind](target) };
  return shown as unknown as ShownTargets[Kind];
}

function showShaped({
  options,
  publicKey,
  confirmation,
}: Omit<ShapedSettings, "url">): Pick<ShownEventWebhook, "settings" | "publicKey" | "confirmed"> {
  return { settings: options, publicKey, confirmed: confirmation === null ? null : confirmation.confirmedAt !== null };
}
