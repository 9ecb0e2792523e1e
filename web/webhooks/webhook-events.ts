import type { Webhook } from "../wire.ts";

/** Name of an event that a webhook can select. */
export type WebhookEventName = Webhook["events"][number];

/** All events that a webhook can select. */
export const webhookEventNames: readonly WebhookEventName[] = [
  "message.received",
  "message.sent",
  "message.deleted",
  "message.delivery",
];
