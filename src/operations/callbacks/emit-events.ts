/** Events that a request emits: in the format of a provider, about one message. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { EventDetails, EventWebhooks, MailEvent, MailEventType } from "../../providers/callbacks.ts";
import type { CallbackTarget, NewDelivery } from "../../store/callback-store.ts";
import type { ValueOf } from "../../core/schema.ts";
import type { Context } from "../context.ts";
import { openMessageId, orNotFound, requireScope } from "../services/security/access.ts";
import { findEventWebhooks, divideSettings, openInboundShape } from "./callback-formats.ts";
import { addRequested } from "./deliveries.ts";
import { type CallbackMessage, eventMailOf, mailEvent, readCallbackMessage, recipientsOf } from "./event-mail.ts";
import { openEventSubscribers } from "./event-subscribers.ts";
import { findEventTarget, newDelivery, checkTargetUrl } from "./open-target.ts";
import type { eventRequestSchema, ShownDelivery, HandInboundRequest } from "./delivery-schema.ts";
import { planVariants, settingsOf, type VariantPlan } from "./target-settings.ts";
import { type DirectReceiver, encodeDeliveryContent } from "../../egress/callbacks/delivery-content.ts";

/** Request for events. */
interface EventRequest extends Omit<ValueOf<typeof eventRequestSchema>, "at"> {
  /** Instant of the last event in milliseconds since the Unix epoch; now by default. */
  readonly at?: number;
}

const typeCountMax = 20;
const detailLengthMax = 1000;
/** Instants of events: formats of providers have years of four digits, and add hours to them. */
const [atMin, atMax] = [0, Date.UTC(9999, 0)];

/**
 * Queues events about a message. Rejects with `not_found`, with a 400 that names the field (also when the provider has no
 * such event, or the server no event webhook of it), and with `limit_reached`.
 */
export async function emitEvents(
  context: Context,
  principal: Principal,
  { id: idText, request }: { readonly id: string; readonly request: EventRequest },
): Promise<readonly ShownDelivery[]> {
  const id = openMessageId(principal, idText);
  const message = orNotFound(await readCallbackMessage(context, id), "Message");
  if (message.detail.message.type !== "Email") throw invalidField("id", "Only mail has events");
  const types = readTypes(request);
  checkDetails(request);
  const {
    type: _type,
    types: _types,
    provider: _provider,
    recipient: given,
    at,
    variants,
    delayMs,
    ...details
  } = request;
  const plan = planVariants(variants, delayMs);
  const recipient = readRecipient(message, given);
  const subscribers = await openEvents(context, message, { request, types });
  const now = context.clock.now();
  const emission = { types, recipient, at: at ?? now, details, plan, now };
  const deliveries = deliveriesOf(message, subscribers, emission);
  if (deliveries.length === 0) throw invalidField("type", "No event webhook of the server selects this event");
  return addRequested(context, decodeMessageId(id).server, deliveries);
}

/** Events to emit. */
interface Emission {
  readonly types: readonly MailEventType[];
  readonly recipient: string;
  /** Instant of the last event. */
  readonly at: number;
  readonly details: EventDetails;
  readonly plan: VariantPlan;
  readonly now: number;
}

/** Target of events, and whether it receives one. */
interface Receiver {
  readonly target: CallbackTarget;
  readonly receives: (event: MailEvent) => boolean;
}

/** Returns the deliveries of events, one second apart. */
function deliveriesOf(
  message: CallbackMessage,
  receivers: readonly Receiver[],
  { types, recipient, at, details, plan, now }: Emission,
): readonly NewDelivery[] {
  const mail = eventMailOf(message);
  const events = types.map((type, position) =>
    mailEvent(mail, { type, recipient, at: at - (types.length - 1 - position) * 1000, details }),
  );
  const ordered = plan.isReversed ? events.toReversed() : events;
  const planned = { message: message.id, createdAt: now, dueAt: now + plan.delayMs, attemptsMax: plan.attemptsMax };
  return receivers.flatMap(({ target, receives }) =>
    ordered.filter(receives).flatMap((event) => {
      const content = { kind: "event", event, defect: plan.defect } as const;
      return Array.from({ length: plan.copies }, () => newDelivery(target, content, { type: event.type, ...planned }));
    }),
  );
}

/**
 * Queues the event of a simulated bounce or complaint about a mail that came through a provider with an event webhook;
 * does nothing for other mail and for events that the provider does not have.
 */
export async function emitSimulated(
  context: Context,
  message: CallbackMessage,
  {
    type,
    recipient,
    details,
  }: { readonly type: MailEventType; readonly recipient: string; readonly details: EventDetails },
): Promise<void> {
  const provider = message.detail.message.provider?.name;
  if (provider === undefined) return;
  const { server } = decodeMessageId(message.id);
  const receivers = await findReceivers(context, server, provider);
  const now = context.clock.now();
  const emission = { types: [type], recipient, at: now, details, plan: planVariants(), now };
  if (receivers.length > 0) await addRequested(context, server, deliveriesOf(message, receivers, emission));
}

/** Returns the targets of the events of a provider in a server. */
async function findReceivers(context: Context, server: ServerId, provider: string): Promise<readonly Receiver[]> {
  const targets = (await context.store.callbacks.listTargets(server)).filter(({ shape }) => shape === provider);
  const subscribers = openEventSubscribers(targets);
  const format = subscribers.length === 0 ? undefined : await findEventWebhooks(provider);
  if (format === undefined) return [];
  return subscribers.map(({ target, wants }) => ({ target, receives: (event) => wants(event, format) }));
}

function readTypes({ type, types }: EventRequest): readonly MailEventType[] {
  const all = [...(type === undefined ? [] : [type]), ...(types ?? [])];
  if (all.length === 0) throw invalidField("type", "Name a type of event", "required");
  if (all.length > typeCountMax) throw invalidField("types", `At most ${String(typeCountMax)} events`, "too_long");
  return all;
}

function checkDetails(request: EventRequest): void {
  const { at = atMin } = request;
  if (at < atMin || at > atMax) throw invalidField("at", "Must be in the years 1970 to 9998", "out_of_range");
  for (const field of ["reason", "status", "url", "ip", "userAgent"] as const) {
    if ((request[field] ?? "").length > detailLengthMax) {
      throw invalidField(field, `At most ${String(detailLengthMax)} characters`, "too_long");
    }
  }
}

/** Returns a recipient of the message, in its own spelling; throws a 400 on `recipient`. */
function readRecipient(message: CallbackMessage, requested: string | undefined): string {
  const recipients = recipientsOf(message);
  const found =
    requested === undefined ? recipients[0] : recipients.find((one) => one.toLowerCase() === requested.toLowerCase());
  if (found !== undefined) return found;
  throw invalidField(
    "recipient",
    requested === undefined ? "The message has no recipient" : "Must be a recipient of the message",
  );
}

/** Returns the targets of requested events: the event webhook of the server, and registered ones that select them. */
async function openEvents(
  context: Context,
  message: CallbackMessage,
  { request, types }: { readonly request: EventRequest; readonly types: readonly MailEventType[] },
): Promise<readonly Receiver[]> {
  const provider = request.provider ?? message.detail.message.provider?.name;
  if (provider === undefined)
    throw invalidField("provider", "The message came through no provider; name one", "required");
  const format = await findEventWebhooks(provider);
  if (format === undefined) throw invalidField("provider", "Must name a provider with event webhooks");
  const { server } = decodeMessageId(message.id);
  const target = await findEventTarget(context, server, provider);
  const registered = (await findReceivers(context, server, provider)).filter(
    ({ target: { kind } }) => kind !== "events",
  );
  if (target === undefined && registered.length === 0)
    throw invalidField("provider", `The server has no event webhook of ${provider}; create it first`);
  checkTypes(types, format, { target, request });
  return target === undefined ? registered : [{ target, receives: () => true }, ...registered];
}

function checkTypes(
  types: readonly MailEventType[],
  format: EventWebhooks,
  { target, request }: { readonly target: CallbackTarget | undefined; readonly request: EventRequest },
): void {
  const options = target === undefined ? {} : settingsOf("events", target).options;
  const known = format.typesOf?.(options) ?? format.types;
  const unknown = types.find((type) => !known.includes(type));
  if (unknown === undefined) return;
  const field = request.type === unknown ? "type" : "types";
  throw invalidField(field, `The provider has no event ${unknown}; it has ${known.join(", ")}`);
}

/** Type of deliveries of inbound mail. */
export const inboundType = "inbound";

/**
 * Queues a mail for the application. Rejects with `not_found`, with `forbidden` when a key that may only send names no route,
 * with `limit_reached`, and with a 400 that names the field.
 */
export async function handInbound(
  context: Context,
  principal: Principal,
  { id: idText, request }: { readonly id: string; readonly request: HandInboundRequest },
): Promise<readonly ShownDelivery[]> {
  // The URL of the request receives the whole message, which a key that may only send must not read.
  if (request.route === undefined) requireScope(principal, "manage");
  const id = openMessageId(principal, idText);
  const message = orNotFound(await readCallbackMessage(context, id), "Message");
  if (message.detail.message.type !== "Email") throw invalidField("id", "Only mail can be handed over");
  const plan = planVariants(request.variants, request.delayMs);
  const recipient = readRecipient(message, request.recipient);
  const { server } = decodeMessageId(id);
  const route = request.route === undefined ? undefined : await openRoute(context, server, request);
  const receiver = route === undefined ? await openReceiver(context, id, request) : undefined;
  const now = context.clock.now();
  const content = { kind: "inbound", message: id, recipient, defect: plan.defect } as const;
  const common = {
    type: inboundType,
    message: id,
    createdAt: now,
    dueAt: now + plan.delayMs,
    attemptsMax: plan.attemptsMax,
  };
  const made = Array.from({ length: plan.copies }, (): NewDelivery => {
    if (route !== undefined) return newDelivery(route, content, common);
    const direct = encodeDeliveryContent({ ...content, ...(receiver !== undefined && { receiver }) });
    const queue = new URL(receiver?.url ?? "http://localhost").origin;
    return { ...newDelivery({ id: "", server }, content, common), target: null, queue, content: direct };
  });
  return addRequested(context, server, made);
}

async function openRoute(
  { store }: Context,
  server: ServerId,
  { route, shape, url, settings }: HandInboundRequest,
): Promise<CallbackTarget> {
  if (shape !== undefined || url !== undefined || settings !== undefined) {
    throw invalidField("route", "Give a route, or shape and url, not both");
  }
  const targets = await store.callbacks.listTargets(server, "inbound");
  const target = targets.find(({ id }) => id === route?.toLowerCase());
  if (target === undefined) throw invalidField("route", "Must be the id of an inbound route of the message's server");
  return target;
}

async function openReceiver(
  context: Context,
  message: MessageId,
  { shape: shapeName, url, settings }: HandInboundRequest,
): Promise<DirectReceiver> {
  const shape = await openInboundShape(shapeName);
  if (shape.confirmation !== undefined) {
    // Each call would make a key pair, and no URL would have the certificate.
    throw invalidField("shape", `${shape.label} needs an inbound route, whose certificate the application can fetch`);
  }
  const checkedUrl = checkTargetUrl(context, url);
  const { options, secrets: given } = divideSettings(shape, settings);
  const { secrets } = await shape.createSecrets(given);
  const sealedSecrets = Buffer.from(context.secrets.seal(JSON.stringify(secrets), message)).toString("base64");
  return { shape: shape.name, url: checkedUrl, options, sealedSecrets };
}
