/** Webhooks that applications register: https://mailchimp.com/developer/transactional/api/webhooks/ */
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { detailOf } from "../kit/rejection.ts";
import { eventNamesIn, type WebhookHandlers, webhookHandlers } from "../kit/webhooks.ts";
import { jsonResponse } from "../provider.ts";
import type { EventSelection, RegisteredWebhook } from "../webhooks.ts";
import { errors } from "./errors.ts";
import { eventNames } from "./event-webhook.ts";
import { instantText, readMembers, requiredText } from "./request.ts";

/** Names of all events; the last ones never happen here. */
const names: readonly string[] = [...eventNames, "inbound", "blacklist", "whitelist"];

/** Handlers of webhooks. */
export const webhooks: WebhookHandlers = webhookHandlers<EventSelection>({
  of: ({ webhooks }) => webhooks.events,
  idOf: (uuid) => String(numberOf(uuid)),
  idIn: ({ request }) => String(readMembers(request).value("id")),
  missing: errors.unknownWebhook,
  invalid: (problem) => errors.invalid({ url: detailOf(problem) }),
  read: ({ request }, present) => {
    const members = readMembers(request);
    const url = present === null ? requiredText(members, "url") : (members.text("url") ?? present.url);
    const { description = "" } = present?.facts ?? {};
    return {
      url,
      events: members.has("events")
        ? eventNamesIn(members.list("events"), names, unknownEvent)
        : (present?.events ?? []),
      isActive: true,
      facts: { description: members.text("description") ?? description },
    };
  },
  shown: (webhook) => jsonResponse(200, webhookJson(webhook)),
  removed: (webhook) => jsonResponse(200, webhookJson(webhook)),
  listed: (webhooks) => jsonResponse(200, webhooks.map(webhookJson)),
});

function unknownEvent(_name: unknown, at: number): Error {
  return errors.invalid({ events: { [String(at)]: "Please enter a valid event" } });
}

/** Returns the number of a webhook or route, which is positive. */
export function numberOf(uuid: string): number {
  return Number.parseInt(derivedHex(7, uuid), 16) + 1;
}

function webhookJson({ id, url, events, facts, secrets, createdAt }: RegisteredWebhook<EventSelection>): JsonObject {
  return {
    id: numberOf(id),
    url,
    ...facts,
    auth_key: secrets["key"] ?? "",
    events,
    created_at: instantText(createdAt),
    last_sent_at: null,
    batches_sent: 0,
    events_sent: 0,
    last_error: null,
  };
}
