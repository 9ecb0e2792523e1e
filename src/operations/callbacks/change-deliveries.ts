/** Deliveries that one change of a server causes. */
import type { Change } from "../../core/events.ts";
import type { Delivery } from "../../core/delivery.ts";
import { defaultLimits } from "../../core/limits.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { withHops } from "../../core/request-hops.ts";
import type { EventDetails, EventWebhooks, MailEventType } from "../../providers/callbacks.ts";
import { uuidOfHash } from "../../providers/formats/uuid.ts";
import type { CallbackTarget, NewDelivery } from "../../store/callback-store.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import type { Context } from "../context.ts";
import { getDelivery } from "../services/reading/get-message.ts";
import { foldCriteria } from "../services/search/read-search.ts";
import { isAddressOf } from "../inbound/resolve-recipient.ts";
import { matchesPattern } from "../../core/mail-addresses.ts";
import { findEventWebhooks } from "./callback-formats.ts";
import {
  createMessageMatcher,
  eventMailOf,
  mailEvent,
  readCallbackMessage,
  recipientsOf,
  type CallbackMessage,
  type MessageMatcher,
} from "./event-mail.ts";
import { inboundType } from "./emit-events.ts";
import { type EventSubscriber, openEventSubscribers, smsReports } from "./event-subscribers.ts";
import { newDelivery } from "./open-target.ts";
import { type InboundSettings, type WebhookEvent, type WebhookSettings, settingsOf } from "./target-settings.ts";
import { dataOf, deletedDataOf, emptiedDataOf, type WebhookData } from "./webhook-facts.ts";
import { webhookContent } from "./webhooks.ts";

/** Target with its settings. */
interface Subscriber<Settings> {
  readonly target: CallbackTarget;
  readonly settings: Settings;
}

type WebhookSubscriber = Subscriber<WebhookSettings> & { readonly expression: SearchExpression | null };

/** Targets of a server by kind, without disabled ones. */
export interface Subscribers {
  readonly webhooks: readonly WebhookSubscriber[];
  readonly events: readonly EventSubscriber[];
  readonly inbound: readonly Subscriber<InboundSettings>[];
}

/** Returns the targets with their settings; disabled ones receive nothing. */
export function openSubscribers(all: readonly CallbackTarget[]): Subscribers {
  const targets = all.filter(({ state }) => state !== "disabled");
  const ofKind = (kind: CallbackTarget["kind"]): readonly CallbackTarget[] =>
    targets.filter((one) => one.kind === kind);
  return {
    webhooks: ofKind("webhook").map((target) => {
      const settings = settingsOf("webhook", target);
      const { criteria } = settings;
      const expression = criteria === null ? null : criteriaExpression(foldCriteria(criteria, criterionLengthMax));
      return { target, settings, expression };
    }),
    events: openEventSubscribers(targets),
    inbound: ofKind("inbound").map((target) => ({ target, settings: settingsOf("inbound", target) })),
  };
}

/** Criteria were checked when they were stored. */
const criterionLengthMax = defaultLimits.searchTextLengthMax;

/** Returns the deliveries of a change. Rejects as the store does. */
export async function deliveriesOfChange(
  context: Context,
  subscribers: Subscribers,
  change: Change,
): Promise<readonly NewDelivery[]> {
  const { webhooks, events, inbound } = sinceTarget(subscribers, change.sequence);
  if (webhooks.length + events.length + inbound.length === 0) return [];
  const { id, kind } = change;
  if (kind === "marked") return [];
  if (id === null || kind === "deleted") {
    return webhookDeliveries(context, webhooks, { event: "message.deleted", id, message: undefined });
  }
  const message = await readCallbackMessage(context, id);
  return withHops(message?.detail.hops ?? 0, async () => {
    return deliveriesOfMessage(context, { webhooks, events, inbound }, { kind, id, message });
  });
}

/** Returns the deliveries of a change to a message. */
async function deliveriesOfMessage(
  context: Context,
  { webhooks, events, inbound }: Subscribers,
  { kind, id, message }: ChangedMessage & Pick<Change, "kind">,
): Promise<readonly NewDelivery[]> {
  if (kind === "failed") return deliveryReports(context, webhooks, { id, message });
  const event = kind === "sent" ? "message.sent" : "message.received";
  const own = await webhookDeliveries(context, webhooks, { event, id, message });
  if (message === undefined || message.detail.message.type !== "Email") {
    if (kind === "sent") return [...own, ...(await reportsWhenSent(context, webhooks, { id, message }))];
    return message === undefined ? own : [...own, ...(await smsReports(context, events, message))];
  }
  const handed = await inboundDeliveries(context, inbound, { message, isSent: kind === "sent" });
  if (kind === "sent") return [...own, ...(await reportsWhenSent(context, webhooks, { id, message })), ...handed];
  return [...own, ...(await eventDeliveries(context, events, message)), ...handed];
}

/** Returns the targets that are older than a change. */
function sinceTarget({ webhooks, events, inbound }: Subscribers, sequence: number): Subscribers {
  const isOlder = ({ target }: { readonly target: CallbackTarget }): boolean => target.sinceSequence < sequence;
  return { webhooks: webhooks.filter(isOlder), events: events.filter(isOlder), inbound: inbound.filter(isOlder) };
}

/** Message of a change; undefined when it was deleted since, and its id null when the whole server was emptied. */
interface ChangedMessage<Id = MessageId> {
  readonly id: Id;
  readonly message: CallbackMessage | undefined;
}

/** Event of a change, with the state of the delivery for `message.delivery`. */
interface ChangeEvent extends ChangedMessage<MessageId | null> {
  readonly event: WebhookEvent;
  readonly delivery?: Delivery;
}

/**
 * Returns the deliveries of an event to the webhooks that select it; filters that need the message match nothing when it was
 * deleted. Ids of reports are derived from target, message and status, so that the same report is stored once although
 * several calls make it.
 */
async function webhookDeliveries(
  context: Context,
  webhooks: readonly WebhookSubscriber[],
  caused: ChangeEvent,
): Promise<readonly NewDelivery[]> {
  const { event, id, message, delivery } = caused;
  const now = context.clock.now();
  const matches = message === undefined ? null : createMessageMatcher(context, message);
  const deliveries: NewDelivery[] = [];
  let data: WebhookData | undefined;
  for (const webhook of webhooks) {
    const { target } = webhook;
    if (!(await wants(webhook, caused, matches))) continue;
    data ??= dataOfEvent(context, target.server, caused);
    const made = newDelivery(target, webhookContent(data, now), { type: event, message: id, createdAt: now });
    deliveries.push(
      delivery === undefined ? made : { ...made, id: uuidOfHash(`${target.id} ${id ?? ""} ${delivery.status}`) },
    );
  }
  return deliveries;
}

function dataOfEvent(
  { settings }: Context,
  server: ServerId,
  { event, id, message, delivery }: ChangeEvent,
): WebhookData {
  if (id === null) return emptiedDataOf(server);
  const { deleted, ...data } =
    message === undefined ? deletedDataOf(id) : dataOf(message.detail.message, settings.publicUrl());
  return {
    ...data,
    ...(deleted !== undefined && event !== "message.deleted" && { deleted }),
    ...(delivery !== undefined && {
      delivery: { ...delivery, lastError: delivery.lastError?.slice(0, 500) ?? null },
    }),
  };
}

/** Returns whether a webhook selects the event. */
async function wants(
  { settings, expression }: WebhookSubscriber,
  { event, id, message }: ChangeEvent,
  matches: MessageMatcher | null,
): Promise<boolean> {
  const { events, type, direction } = settings;
  if (!events.includes(event)) return false;
  if (direction !== null && id !== null && direction !== decodeMessageId(id).direction) return false;
  if (message === undefined || matches === null) return type === null && expression === null;
  return (
    (type === null || type === message.detail.message.type) && (expression === null || (await matches(expression)))
  );
}

/** Returns reports about a sent message whose delivery was complete when it was stored: to servers of this service. */
async function reportsWhenSent(
  context: Context,
  webhooks: readonly WebhookSubscriber[],
  changed: ChangedMessage,
): Promise<readonly NewDelivery[]> {
  if (!webhooks.some(({ settings }) => settings.events.includes("message.delivery"))) return [];
  const delivery = await getDelivery(context.store, changed.id);
  return delivery?.status === "Sent" ? deliveryReports(context, webhooks, { ...changed, delivery }) : [];
}

/** Returns events `message.delivery` with the present state of a sent message. */
export async function deliveryReports(
  context: Context,
  webhooks: readonly WebhookSubscriber[],
  { id, message, delivery: known }: ChangedMessage & { readonly delivery?: Delivery },
): Promise<readonly NewDelivery[]> {
  const delivery = known ?? (await getDelivery(context.store, id));
  if (delivery === undefined) return [];
  return webhookDeliveries(context, webhooks, { event: "message.delivery", id, message, delivery });
}

/** Returns the events that a provider reports about a mail that came through it, for each recipient. */
async function eventDeliveries(
  { clock }: Context,
  subscribers: readonly EventSubscriber[],
  message: CallbackMessage,
): Promise<readonly NewDelivery[]> {
  const provider = message.detail.message.provider?.name ?? "";
  const own = subscribers.filter(({ target }) => target.shape === provider);
  const format = own.length === 0 ? undefined : await findEventWebhooks(provider);
  if (format === undefined) return [];
  const now = clock.now();
  const mail = eventMailOf(message);
  const events = recipientsOf(message).flatMap((recipient) =>
    outcomesOf(format, recipient).map((outcome) => mailEvent(mail, { ...outcome, recipient, at: now })),
  );
  return own.flatMap(({ target, wants }) =>
    events
      .filter((event) => wants(event, format))
      .map((event) => {
        const content = { kind: "event", event, defect: null } as const;
        return newDelivery(target, content, { type: event.type, message: message.id, createdAt: now });
      }),
  );
}

function outcomesOf(
  { automatic, outcomeOf }: EventWebhooks,
  recipient: string,
): readonly { readonly type: MailEventType; readonly details: EventDetails }[] {
  return outcomeOf?.(recipient) ?? automatic.map((type) => ({ type, details: {} }));
}

/**
 * Returns the deliveries of a mail to the routes that match a recipient, one for each route. Of a sent mail, recipients
 * on the same server do not count: the received message is handed over.
 */
async function inboundDeliveries(
  context: Context,
  routes: readonly Subscriber<InboundSettings>[],
  { message, isSent }: { readonly message: CallbackMessage; readonly isSent: boolean },
): Promise<readonly NewDelivery[]> {
  const now = context.clock.now();
  const deliveries: NewDelivery[] = [];
  const recipients = routes.length === 0 ? [] : recipientsOf(message);
  for (const { target, settings } of routes) {
    const recipient = recipients.find((one) => matchesPattern(settings.pattern, one));
    if (recipient === undefined || (isSent && (await isAddressOf(context, target.server, recipient)))) continue;
    const content = { kind: "inbound", message: message.id, recipient, defect: null } as const;
    deliveries.push(newDelivery(target, content, { type: inboundType, message: message.id, createdAt: now }));
  }
  return deliveries;
}
