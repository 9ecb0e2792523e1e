/** Settings and secrets of targets, as the store holds them: JSON, and sealed JSON. */
import type { Criteria } from "../../core/criteria.ts";
import type { Direction, MessageType } from "../../core/message.ts";
import type { CallbackSecrets, MailEventType } from "../../providers/callbacks.ts";
import type { CallbackTarget } from "../../store/callback-store.ts";
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

/** Settings of the event webhook of a provider. */
export interface EventSettings {
  readonly url: string;
  /** Types that are delivered without a request of the API. */
  readonly events: readonly MailEventType[];
  /** Settings of the provider that are not secret. */
  readonly options: CallbackSecrets;
  readonly publicKey: string | null;
  /** Null where the provider asks for none. */
  readonly confirmation: Confirmation | null;
}

/** Settings of an inbound route. */
export interface InboundSettings {
  readonly url: string;
  /** Address, or `*@domain`; in lower case. */
  readonly pattern: string;
  /** Settings of the shape that are not secret. */
  readonly options: CallbackSecrets;
  readonly publicKey: string | null;
  /** Null where the shape asks for none. */
  readonly confirmation: Confirmation | null;
}

/** Secrets of a target. */
export interface TargetSecrets {
  readonly current: CallbackSecrets;
  /** Replaced secrets, which sign too until `until` (milliseconds since the Unix epoch). */
  readonly previous: { readonly secrets: CallbackSecrets; readonly until: number } | null;
}

/** Returns the settings of a webhook. */
export function webhookSettingsOf({ settingsJson }: Pick<CallbackTarget, "settingsJson">): WebhookSettings {
  return JSON.parse(settingsJson) as WebhookSettings;
}

/** Returns the settings of an event webhook. */
export function eventSettingsOf({ settingsJson }: Pick<CallbackTarget, "settingsJson">): EventSettings {
  return JSON.parse(settingsJson) as EventSettings;
}

/** Returns the settings of an inbound route. */
export function inboundSettingsOf({ settingsJson }: Pick<CallbackTarget, "settingsJson">): InboundSettings {
  return JSON.parse(settingsJson) as InboundSettings;
}

/** Seals the secrets of a target. */
export function sealTargetSecrets({ secrets }: Pick<Context, "secrets">, id: string, own: TargetSecrets): Uint8Array {
  return secrets.seal(JSON.stringify(own), id);
}

/** Returns the secrets of a target; undefined when they were sealed with another secret key. */
export function openTargetSecrets(
  { secrets }: Pick<Context, "secrets">,
  { id, sealedSecrets }: Pick<CallbackTarget, "id" | "sealedSecrets">,
): TargetSecrets | undefined {
  if (sealedSecrets === null) return { current: {}, previous: null };
  const json = secrets.open(sealedSecrets, id);
  return json === undefined ? undefined : (JSON.parse(json) as TargetSecrets);
}
