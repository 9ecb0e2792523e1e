/** Users, senders and webhooks, as far as applications need them to send. */
import { randomBytes, randomInt } from "node:crypto";
import type { JsonObject } from "../formats/json-body.ts";
import { newestEmails } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import { Collection } from "../kit/objects.ts";
import { jsonResponse } from "../provider.ts";
import { errors } from "./errors.ts";
import { instantText, readMembers, requiredText } from "./request.ts";

/** Newest mails whose senders are listed. */
const bounds = { countMax: 1000, pageSize: 100 };

/** Validates the key: `users/ping`. */
export const ping: Handler = async () => jsonResponse(200, "PONG!");

/** Validates the key: `users/ping2`. */
export const ping2: Handler = async () => jsonResponse(200, { PING: "PONG!" });

/** Describes the account, without statistics: `users/info`. */
export const getUser: Handler = async ({ services }) => {
  const account = { username: "restante", public_id: "restante", reputation: 100, hourly_quota: 10_000, backlog: 0 };
  return jsonResponse(200, { ...account, created_at: instantText(services.now()), stats: {} });
};

/** Lists the senders of the newest mails: `users/senders` and `senders/list`. */
export const listSenders: Handler = async (call) => {
  const none = { hard_bounces: 0, soft_bounces: 0, rejects: 0, complaints: 0, unsubs: 0, opens: 0, clicks: 0 };
  const stats = { ...none, unique_opens: 0, unique_clicks: 0 };
  const senders = await sendersOf(call);
  return jsonResponse(
    200,
    senders.map((one) => ({ ...one, ...stats })),
  );
};

/** Lists the domains of the senders of the newest mails, whose records are not checked: `senders/domains`. */
export const listDomains: Handler = async (call) => {
  const created = (await sendersOf(call)).map(
    ({ address, created_at: at }) => [address.split("@").at(-1), at] as const,
  );
  const valid = { valid: true, valid_after: null, error: null };
  const domains = [...new Map(created)].map(([domain, at]) => ({
    domain,
    created_at: at,
    last_tested_at: at,
    spf: valid,
    dkim: valid,
    verified_at: at,
    valid_signing: true,
  }));
  return jsonResponse(200, domains);
};

interface Sender {
  readonly address: string;
  readonly created_at: string;
  readonly sent: number;
}

async function sendersOf({ session }: Call): Promise<readonly Sender[]> {
  const senders = new Map<string, Sender>();
  for await (const { message, createdAt } of newestEmails(session, {}, bounds)) {
    const address = message.from[0]?.email ?? "";
    const sent = (senders.get(address)?.sent ?? 0) + 1;
    senders.set(address, { address, created_at: instantText(createdAt), sent });
  }
  return [...senders.values()];
}

/** Webhook as it is stored; it causes no events. */
interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly description: string;
  readonly auth_key: string;
  readonly events: readonly unknown[];
  readonly created_at: string;
}

const webhookIdMax = 2 ** 31;

function openWebhooks({ session }: Call): Collection<Webhook> {
  return new Collection(session, "webhook");
}

/** Stores a webhook: `webhooks/add`. */
export const addWebhook: Handler = async (call) => {
  const request = readMembers(call.request);
  const url = requiredText(request, "url");
  const id = randomInt(1, webhookIdMax);
  const created = { id, auth_key: randomBytes(16).toString("base64url"), created_at: instantText(call.services.now()) };
  const webhook = changedWebhook({ ...created, url, description: "", events: [] }, request);
  await openWebhooks(call).put(String(id), webhook);
  return jsonResponse(200, webhookJson(webhook));
};

/** Lists the stored webhooks: `webhooks/list`. */
export const listWebhooks: Handler = async (call) =>
  jsonResponse(200, (await openWebhooks(call).all()).map(webhookJson));

/** Returns a stored webhook: `webhooks/info`. */
export const getWebhook: Handler = async (call) =>
  withWebhook(call, async (webhooks, id) => (await webhooks.find(id)) ?? null);

/** Changes a stored webhook: `webhooks/update`. */
export const updateWebhook: Handler = async (call) =>
  withWebhook(call, async (webhooks, id) => {
    return (await webhooks.change(id, (webhook) => changedWebhook(webhook, readMembers(call.request)))) ?? null;
  });

/** Removes a stored webhook: `webhooks/delete`. */
export const deleteWebhook: Handler = async (call) =>
  withWebhook(call, async (webhooks, id) => {
    const webhook = await webhooks.find(id);
    return (await webhooks.remove(id)) ? (webhook ?? null) : null;
  });

async function withWebhook(
  call: Call,
  open: (webhooks: Collection<Webhook>, id: string) => Promise<Webhook | null>,
): ReturnType<Handler> {
  const id = String(readMembers(call.request).value("id"));
  const webhook = await open(openWebhooks(call), id);
  if (webhook === null) throw errors.unknownWebhook(id);
  return jsonResponse(200, webhookJson(webhook));
}

function changedWebhook(webhook: Webhook, request: Members): Webhook {
  return {
    ...webhook,
    url: request.text("url") ?? webhook.url,
    description: request.text("description") ?? webhook.description,
    events: request.has("events") ? request.list("events") : webhook.events,
  };
}

function webhookJson(webhook: Webhook): JsonObject {
  return { ...webhook, last_sent_at: null, batches_sent: 0, events_sent: 0, last_error: null };
}
