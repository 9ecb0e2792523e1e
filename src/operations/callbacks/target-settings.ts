/** Settings and secrets of targets, as the store holds them: JSON, and sealed JSON. */
import type { Criteria } from "../../core/criteria.ts";
import { invalidField } from "../../core/errors.ts";
import type { Direction, MessageType } from "../../core/message.ts";
import type { RequestDefect } from "../../egress/callbacks/delivery-content.ts";
import type { CallbackSecrets, MailEventType } from "../../providers/callbacks.ts";
import type { SubscriptionValues } from "../../providers/mailbox-subscriptions.ts";
import type { EventSelection, WebhookValues } from "../../providers/webhooks.ts";
import type { CallbackTarget, TargetKind } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";

/** Events of this service's own webhooks that a webhook can select. */
export const webhookEvents = ["message.received", "message.sent", "message.deleted", "message.delivery"] as const;

/** Event of this service's own webhooks that a webhook can select. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** Settings of a webhook; null selects all. */
export interface WebhookSettings {
  readonly url: string;
  readonly description: string;
  /** Not empty. */
  readonly events: readonly WebhookEvent[];
  readonly type: MessageType | null;
  readonly direction: Direction | null;
  readonly criteria: Criteria | null;
}

/** Confirmation of a receiver. */
export interface Confirmation {
  readonly token: string;
  /** Milliseconds since the Unix epoch; null until the receiver has confirmed. */
  readonly confirmedAt: number | null;
  /** Whether the user has paused the target, which then stays paused when the receiver confirms. */
  readonly staysPaused?: boolean;
}

/** Settings of targets in the format of a provider. */
export interface ShapedSettings {
  readonly url: string;
  /** Settings of the provider that are not secret. */
  readonly options: CallbackSecrets;
  readonly publicKey: string | null;
  /** Null where the provider asks for none. */
  readonly confirmation: Confirmation | null;
  /** Facts of the provider's API; absent for a target that was not registered by it. */
  readonly facts?: WebhookValues["facts"];
  /** Whether the key that registered it is stored; absent as {@link facts}. */
  readonly isKnown?: boolean;
}

/** Settings of an event webhook that was registered by the API of its provider. */
export interface RegisteredSettings extends ShapedSettings, EventSelection {}

/** Settings of the event webhook of a provider. */
export interface EventSettings extends ShapedSettings {
  /** Types that are delivered without a request of the API. */
  readonly events: readonly MailEventType[];
}

/** Settings of an inbound route. */
export interface InboundSettings extends ShapedSettings {
  /** Address, or `*@domain`; in lower case. */
  readonly pattern: string;
}

/** Settings of a subscription to a mailbox. */
export interface MailboxSettings extends Omit<SubscriptionValues, "secrets"> {
  /** Address of the user of the mailbox. */
  readonly address: string;
  /** Id of the key of its owner. */
  readonly key: string;
  /** Whether the key is stored; else the subscription is about mail that came through the provider. */
  readonly isKnown: boolean;
}

/** Settings of targets by their kinds. */
export interface TargetSettings {
  readonly webhook: WebhookSettings;
  readonly events: EventSettings;
  readonly registered: RegisteredSettings;
  readonly inbound: InboundSettings;
  readonly mailbox: MailboxSettings;
}

/** Secrets of a target. */
export interface TargetSecrets {
  readonly current: CallbackSecrets;
  /** Replaced secrets, which sign too until `until` (milliseconds since the Unix epoch). */
  readonly previous: { readonly secrets: CallbackSecrets; readonly until: number } | null;
}

/** Returns the settings of a target of this kind. */
export function settingsOf<Kind extends TargetKind>(
  _kind: Kind,
  { settingsJson }: Pick<CallbackTarget, "settingsJson">,
): TargetSettings[Kind] {
  return JSON.parse(settingsJson) as TargetSettings[Kind];
}

/** Seals the secrets of a target. */
export function sealTargetSecrets({ secrets }: Context, id: string, own: TargetSecrets): Uint8Array {
  return secrets.seal(JSON.stringify(own), id);
}

/** Returns the secrets of a target; undefined when they were sealed with another secret key. */
export function openTargetSecrets(
  { secrets }: Context,
  { id, sealedSecrets }: Pick<CallbackTarget, "id" | "sealedSecrets">,
): TargetSecrets | undefined {
  if (sealedSecrets === null) return { current: {}, previous: null };
  const json = secrets.open(sealedSecrets, id);
  return json === undefined ? undefined : (JSON.parse(json) as TargetSecrets);
}

// Variants of callbacks, by which an application tests how it handles hostile and unusual ones.

/**
 * Variants of events:
 * - `duplicate`: each event twice, with the same ids.
 * - `out_of_order`: the events in reverse order.
 * - `late`: after a delay.
 * - `stale_timestamp`, `wrong_signature`, `cut_off`: one attempt with this defect.
 */
export const emitVariants = [
  "duplicate",
  "out_of_order",
  "late",
  "stale_timestamp",
  "wrong_signature",
  "cut_off",
] as const;

/** Variant of events. */
export type EmitVariant = (typeof emitVariants)[number];

/** Variants of inbound mail: those of events except `out_of_order`. */
export const inboundVariants = ["duplicate", "late", "stale_timestamp", "wrong_signature", "cut_off"] as const;

/** Plan of deliveries with variants. */
export interface VariantPlan {
  readonly defect: RequestDefect | null;
  /** Number of deliveries of each event. */
  readonly copies: 1 | 2;
  readonly isReversed: boolean;
  /** Delay of the first attempt in milliseconds. */
  readonly delayMs: number;
  /** Null for the usual schedule. */
  readonly attemptsMax: number | null;
}

const defects: readonly RequestDefect[] = ["stale_timestamp", "wrong_signature", "cut_off"];
const lateMs = 60_000;
/** Longest delay of `late`: a day. */
const lateMsMax = 24 * 3_600_000;

/** Returns the plan of variants; throws a 400 when two defects are given, or a delay out of range or without `late`. */
export function planVariants(variants: readonly EmitVariant[] = [], delayMs?: number): VariantPlan {
  const [defect = null, second] = defects.filter((one) => variants.includes(one));
  if (second !== undefined) throw invalidField("variants", `Give ${defect ?? ""} or ${second}, not both`);
  return {
    defect,
    copies: variants.includes("duplicate") ? 2 : 1,
    isReversed: variants.includes("out_of_order"),
    delayMs: delayOf(variants.includes("late"), delayMs),
    attemptsMax: defect === null ? null : 1,
  };
}

function delayOf(isLate: boolean, delayMs: number | undefined): number {
  if (delayMs === undefined) return isLate ? lateMs : 0;
  if (!isLate) throw invalidField("delayMs", "Only the variant late has a delay");
  if (delayMs >= 0 && delayMs <= lateMsMax) return delayMs;
  throw invalidField("delayMs", `Must be a whole number from 0 to ${String(lateMsMax)}`, "out_of_range");
}
