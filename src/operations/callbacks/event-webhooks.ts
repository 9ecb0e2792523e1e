/** Event webhooks of providers: create or change, list, remove, replace the secrets. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound, Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { targetCountPerServerMax } from "../../core/limits.ts";
import type { CallbackSecrets, EventWebhooks, MailEventType } from "../../providers/callbacks.ts";
import type { CallbackTarget } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { openServer } from "../services/security/access.ts";
import { findEventWebhooks } from "./callback-formats.ts";
import { changeTarget, removeTarget, stateChange } from "./open-target.ts";
import { askToConfirm, changeShape, makeShape, rotateShape, type ShapedChange } from "./shaped-target.ts";
import { showEventWebhook, type ShownEventWebhook } from "./shown-target.ts";
import type { EventSettings } from "./target-settings.ts";

/** Fields of a request that creates or changes an event webhook; `url` is required for a new one. */
export interface EventWebhookRequest extends ShapedChange {
  /** Types that are delivered without a request of the API; all of the provider by default. */
  readonly events?: readonly MailEventType[];
}

/** Path of an event webhook. */
export interface EventWebhookPath {
  readonly server: string;
  readonly provider: string;
}

/** Returns the event webhooks of a server, oldest first. Rejects with `not_found`. */
export async function listEventWebhooks(
  context: Context,
  principal: Principal,
  serverText: string,
): Promise<readonly ShownEventWebhook[]> {
  const { id: server } = await openServer(context, principal, serverText);
  const targets = await context.store.callbacks.listTargets(server, "events");
  return targets.map((target) => showEventWebhook(target));
}

/** Returns an event webhook. Rejects with `not_found`. */
export async function getEventWebhook(
  context: Context,
  principal: Principal,
  path: EventWebhookPath,
): Promise<ShownEventWebhook> {
  return showEventWebhook((await openEventWebhook(context, principal, path)).target);
}

/**
 * Creates or changes the event webhook of a provider. Rejects with `not_found`, with `conflict` when another request creates
 * it, and with a 400 that names the field.
 */
export async function putEventWebhook(
  context: Context,
  principal: Principal,
  { request, ...path }: EventWebhookPath & { readonly request: EventWebhookRequest },
): Promise<ShownEventWebhook> {
  const { id: server } = await openServer(context, principal, path.server);
  const format = await formatOf(path.provider);
  checkEvents(format, request.events);
  const present = await findEventTarget(context, server, path.provider);
  if (present === undefined) return createEventWebhook(context, { server, provider: path.provider, format }, request);
  const { events, ...change } = request;
  const own: Partial<EventSettings> = events === undefined ? {} : { events: [...new Set(events)] };
  const { target, secret } = await changeShape<EventSettings>(context, { target: present, format }, { ...change, own });
  return showEventWebhook(target, secret);
}

async function createEventWebhook(
  context: Context,
  {
    server,
    provider,
    format,
  }: { readonly server: ServerId; readonly provider: string; readonly format: EventWebhooks },
  { events = format.types, state, ...change }: EventWebhookRequest,
): Promise<ShownEventWebhook> {
  const id = randomUUID();
  const { sealedSecrets, secret, ...shape } = await makeShape(context, format, {
    id,
    change: { ...change, ...(state !== undefined && { state }) },
  });
  const settings: EventSettings = { ...shape, events: [...new Set(events)] };
  const added = await context.store.callbacks.addTarget(
    {
      id,
      server,
      kind: "events",
      shape: provider,
      settingsJson: JSON.stringify(settings),
      sealedSecrets,
      createdAt: context.clock.now(),
    },
    { countMax: targetCountPerServerMax, isOnly: true },
  );
  context.wakeCallbacks();
  const target = state === "paused" ? await changeTarget(context, added, () => stateChange(state)) : added;
  return showEventWebhook(await askToConfirm(context, target, null), secret);
}

/** Removes an event webhook with its deliveries. Rejects with `not_found`. */
export async function deleteEventWebhook(
  context: Context,
  principal: Principal,
  path: EventWebhookPath,
): Promise<void> {
  await removeTarget(context, (await openEventWebhook(context, principal, path)).target);
}

/** Replaces the secrets of an event webhook. Rejects with `not_found`, and with a 400 on `settings`. */
export async function rotateEventWebhookSecret(
  context: Context,
  principal: Principal,
  { settings, ...path }: EventWebhookPath & { readonly settings?: CallbackSecrets | undefined },
): Promise<ShownEventWebhook> {
  const opened = await openEventWebhook(context, principal, path);
  const format = await formatOf(path.provider);
  const { target, secret } = await rotateShape(context, { ...opened, format }, settings);
  return showEventWebhook(target, secret);
}

/** Returns the event webhook of a provider in a server; undefined without one. */
export async function findEventTarget(
  { store }: Context,
  server: ServerId,
  provider: string,
): Promise<CallbackTarget | undefined> {
  const targets = await store.callbacks.listTargets(server, "events");
  return targets.find(({ shape }) => shape === provider);
}

async function openEventWebhook(
  context: Context,
  principal: Principal,
  { server, provider }: EventWebhookPath,
): Promise<{ readonly target: CallbackTarget }> {
  const { id } = await openServer(context, principal, server);
  const target = await findEventTarget(context, id, provider);
  if (target === undefined) throw notFound("Event webhook");
  return { target };
}

async function formatOf(provider: string): Promise<EventWebhooks> {
  const format = await findEventWebhooks(provider);
  if (format !== undefined) return format;
  throw new Problem("not_found", { text: "No provider with event webhooks has this name" });
}

function checkEvents({ types }: EventWebhooks, events: readonly MailEventType[] | undefined): void {
  const unknown = events?.find((one) => !types.includes(one));
  if (unknown !== undefined)
    throw invalidField("events", `The provider has no event ${unknown}; it has ${types.join(", ")}`);
}
