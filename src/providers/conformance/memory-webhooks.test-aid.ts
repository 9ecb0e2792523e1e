/** Webhooks for tests of endpoints, kept in memory. */
import { randomUUID } from "node:crypto";
import { notFound } from "../../core/errors.ts";
import type {
  EventSelection,
  InboundSelection,
  ProviderWebhooks,
  RegisteredWebhook,
  WebhookAttempt,
  Webhooks,
} from "../webhooks.ts";
import { checkAllowedUrl } from "./memory-subscriptions.test-aid.ts";

/** Registered webhooks of both kinds, and the attempts to deliver to each. */
export interface KeptWebhooks {
  readonly attempts: WebhookAttempt[];
  readonly events: RegisteredWebhook<EventSelection>[];
  readonly inbound: RegisteredWebhook<InboundSelection>[];
}

/** Returns the webhooks of a caller, who owns all of them; their settings become secrets. */
export function memoryWebhooks({ events, inbound, attempts }: KeptWebhooks, now: () => number): ProviderWebhooks {
  return { events: webhooksIn(events, attempts, now), inbound: webhooksIn(inbound, attempts, now) };
}

function webhooksIn<Selection>(
  kept: RegisteredWebhook<Selection>[],
  attempts: readonly WebhookAttempt[],
  now: () => number,
): Webhooks<Selection> {
  const placeOf = (id: string): number => {
    const place = kept.findIndex((one) => one.id === id);
    if (place === -1) throw notFound("Event webhook");
    return place;
  };
  return {
    list: async () => kept,
    add: async ({ settings, ...values }) => {
      checkAllowedUrl(values.url);
      const secrets = { secret: "secret", key: "key", token: "token", ...withoutEmpty(settings) };
      const webhook = { ...values, secrets, id: randomUUID(), createdAt: now() } as RegisteredWebhook<Selection>;
      kept.push(webhook);
      return webhook;
    },
    change: async (id, { settings, ...values }) => {
      const place = placeOf(id);
      if (values.url !== undefined) checkAllowedUrl(values.url);
      const secrets = settings === undefined ? {} : { secrets: withoutEmpty(settings) };
      const webhook = { ...kept[place], ...values, ...secrets } as RegisteredWebhook<Selection>;
      kept[place] = webhook;
      return webhook;
    },
    remove: async (id) => void kept.splice(placeOf(id), 1),
    attempts: async (id, since) => attempts.filter(({ at }) => placeOf(id) !== -1 && at >= since),
  };
}

function withoutEmpty(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ""));
}
