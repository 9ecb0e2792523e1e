/** Webhooks of this service: create, change, rotate the secret, ping. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import type { Criteria, WireCriteria } from "../../core/criteria.ts";
import type { ValueOf } from "../../core/schema.ts";
import { invalidField } from "../../core/errors.ts";
import type { WebhookContent } from "../../egress/callbacks/delivery-content.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import type { Context } from "../context.ts";
import { foldCriteria } from "../services/search/read-search.ts";
import { openServer } from "../services/security/access.ts";
import { checkBacklog, showMade } from "./deliveries.ts";
import {
  addTarget,
  changeTarget,
  checkTargetUrl,
  newDelivery,
  openTarget,
  stateChange,
  type TargetPath,
} from "./open-target.ts";
import type { ShownDelivery } from "./delivery-schema.ts";
import { showTarget, type ShownTargets, type webhookChangeSchema, type webhookRequestSchema } from "./target-schema.ts";
import { newWebhookSecret, readWebhookSecret } from "../../core/standard-webhooks.ts";
import {
  openTargetSecrets,
  sealTargetSecrets,
  settingsOf,
  webhookEvents,
  type WebhookSettings,
} from "./target-settings.ts";

/** Request that changes a webhook. */
type WebhookChange = ValueOf<typeof webhookChangeSchema>;

/** Time for which a replaced secret signs too. */
const previousSecretMs = 24 * 3_600_000;
const descriptionLengthMax = 200;

/** Settings of a webhook that receives everything. */
export const selectsAll: Omit<WebhookSettings, "url"> = {
  description: "",
  events: webhookEvents,
  type: null,
  direction: null,
  criteria: null,
};

/** Creates a webhook. Rejects with `not_found`, `limit_reached`, and with a 400 that names every wrong field. */
export async function createWebhook(
  context: Context,
  principal: Principal,
  { server: serverText, request }: { readonly server: string; readonly request: ValueOf<typeof webhookRequestSchema> },
): Promise<ShownTargets["webhook"]> {
  const { id: server } = await openServer(context, principal, serverText);
  const { secret = newWebhookSecret(), state, ...change } = request;
  const settings = checkWebhook(context, { url: undefined, ...selectsAll }, { change, secret });
  const id = randomUUID();
  const sealedSecrets = sealTargetSecrets(context, id, { current: { secret }, previous: null });
  const target = await addTarget(context, { id, server, kind: "webhook", shape: "", settings, sealedSecrets, state });
  return showTarget("webhook", target, secret);
}

/** Changes a webhook. Rejects with `not_found`, and with a 400 that names every wrong field. */
export async function updateWebhook(
  context: Context,
  principal: Principal,
  { change: { state, ...change }, ...path }: TargetPath<"webhook"> & { readonly change: WebhookChange },
): Promise<ShownTargets["webhook"]> {
  const target = await openTarget(context, principal, path);
  const updated = await changeTarget(context, target, (present) => ({
    settingsJson: JSON.stringify(checkWebhook(context, settingsOf("webhook", present), { change })),
    ...stateChange(state),
  }));
  context.wakeCallbacks();
  return showTarget("webhook", updated);
}

/**
 * Replaces the secret of a webhook; the old one signs too for 24 hours. Rejects with `not_found`, and with a 400 on
 * `secret`.
 */
export async function rotateWebhookSecret(
  context: Context,
  principal: Principal,
  { secret = newWebhookSecret(), ...path }: TargetPath<"webhook"> & { readonly secret?: string | undefined },
): Promise<ShownTargets["webhook"]> {
  readWebhookSecret(secret);
  const target = await openTarget(context, principal, path);
  const updated = await changeTarget(context, target, (present) => {
    const replaced = openTargetSecrets(context, present)?.current;
    const until = context.clock.now() + previousSecretMs;
    const previous = replaced === undefined ? null : { secrets: replaced, until };
    return { sealedSecrets: sealTargetSecrets(context, present.id, { current: { secret }, previous }) };
  });
  return showTarget("webhook", updated, secret);
}

/** Queues an event `ping` and returns its delivery. Rejects with `not_found` and `limit_reached`. */
export async function pingWebhook(context: Context, principal: Principal, path: TargetPath): Promise<ShownDelivery> {
  const target = await openTarget(context, principal, path);
  const now = context.clock.now();
  const data = { server: target.server, webhook: target.id };
  await checkBacklog(context, target.server);
  const delivery = newDelivery(target, webhookContent(data, now), { type: "ping", createdAt: now });
  await context.store.callbacks.addDeliveries([delivery]);
  context.wakeCallbacks();
  return showMade(delivery);
}

/** Returns the content of an event with this data. */
export function webhookContent(data: unknown, now: number): WebhookContent {
  return { kind: "webhook", timestamp: new Date(now).toISOString(), data, id: newEventId(), defect: null };
}

/** Returns a random value of `webhook-id`. */
export function newEventId(): string {
  return `evt_${randomBytes(16).toString("hex")}`;
}

/** Returns the settings with the change; throws a 400 that names every wrong field. */
export function checkWebhook(
  context: Context,
  present: Omit<WebhookSettings, "url"> & { readonly url: string | undefined },
  { change, secret }: { readonly change: Partial<WebhookChange>; readonly secret?: string | undefined },
): WebhookSettings {
  const errors = new FieldCollector();
  const { criteria, ...rest } = change;
  const url = errors.collect(() => checkTargetUrl(context, change.url ?? present.url)) ?? "";
  if (secret !== undefined) errors.collect(() => readWebhookSecret(secret));
  errors.collect(() => {
    checkTexts(change);
  });
  const checked =
    criteria === undefined ? present.criteria : (errors.collect(() => checkFilter(context, criteria)) ?? null);
  errors.finish();
  const { description = present.description, events = present.events } = rest;
  const { type = present.type, direction = present.direction } = rest;
  return { url, description, events: [...new Set(events)], type, direction, criteria: checked };
}

function checkTexts({ description = "", events }: Partial<WebhookChange>): void {
  if (description.length > descriptionLengthMax)
    throw invalidField("description", "At most 200 characters", "too_long");
  if (events?.length === 0) throw invalidField("events", "Name an event", "required");
}

function checkFilter({ limits }: Context, criteria: WireCriteria | null): Criteria | null {
  if (criteria === null) return null;
  const whole: Criteria = { match: "ALL", ...criteria };
  foldCriteria(whole, Math.min(limits.searchTextLengthMax, criterionLengthMax));
  return whole;
}

/** Length of one criterion of a webhook, so that its settings stay below 16 kB. */
const criterionLengthMax = 500;
