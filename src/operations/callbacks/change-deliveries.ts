/** Deliveries that one change of a server causes. */
import { createHash } from "node:crypto";
import type { Change } from "../../core/change.ts";
import type { Delivery } from "../../core/delivery.ts";
import { defaultLimits } from "../../core/limits.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { withHops } from "../../core/request-hops.ts";
import type { EventDetails, EventWebhooks, MailEventType } from "../../providers/callbacks.ts";
import type { CallbackTarget, NewDelivery } from "../../store/callback-store.ts";
import { criteriaExpression } from "../../core/search/criteria-expression.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import type { Context } from "../context.ts";
import { getDelivery } from "../services/reading/get-message.ts";
import { foldCriteria } from "../services/events/fold-criteria.ts";
import { isAddressOf } from "../inbound/resolve-recipient.ts";
import { matchesPattern } from "../../core/address-pattern.ts";
import { findEventWebhooks } from "./callback-formats.ts";
import { createMessageMatcher, eventMailOf, mailEvent, readCallbackMessage, recipientsOf } from "./event-mail.ts";
import type { CallbackMessage, MessageMatcher } from "./event-mail.ts";
import { inboundType } from "./hand-inbound.ts";
import { newDelivery } from "./open-target.ts";
import type { EventSettings, InboundSettings, WebhookEvent, WebhookSettings } from "./target-settings.ts";
import { settingsOf } from "./target-settings.ts";
import { dataOf, deletedDataOf, emptiedDataOf, type WebhookData } from "./webhook-facts.ts";
import { newEventId } from "./webhooks.ts";

/** Target with its settings. */
interface Subscriber<Settings> {
  readonly target: CallbackTarget;
  readonly settings: Settings;
}

type WebhookSubscriber = Subscriber<WebhookSettings> & { readonly expression: SearchExpression | null };

/** Targets of a server by kind, without disabled ones. */
export interface Subscribers {
  readonly webhooks: readonly WebhookSubscriber[];
  readonly events: readonly Subscriber<EventSettings>[];
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
    events: ofKind("events").map((target) => ({ target, settings: settingsOf("events", target) })),
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
  if (id === null || kind === "deleted") return deletedDeliveries(context, webhooks, id);
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
  const own = await messageDeliveries(context, webhooks, { event, id, message });
  if (message === undefined || message.detail.message.type !== "Email") {
    return kind === "sent" ? [...own, ...(await reportsWhenSent(context, webhooks, { id, message }))] : own;
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

/** Message of a change; undefined when it was deleted since. */
interface ChangedMessage {
  readonly id: MessageId;
  readonly message: CallbackMessage | undefined;
}

/** Returns events about messages that were deleted; filters that need the message then match nothing. */
function deletedDeliveries(
  { clock }: Context,
  webhooks: readonly WebhookSubscriber[],
  id: MessageId | null,
): readonly NewDelivery[] {
  const now = clock.now();
  return webhooks.flatMap((webhook) => {
    const { target, settings } = webhook;
    if (!settings.events.includes("message.deleted") || settings.type !== null || webhook.expression !== null)
      return [];
    if (id === null)
      return [webhookDelivery(target, { event: "message.deleted", data: emptiedDataOf(target.server), id, now })];
    if (!hasDirection(settings, id)) return [];
    const { deleted: _deleted, ...data } = deletedDataOf(id);
    return [webhookDelivery(target, { event: "message.deleted", data, id, now })];
  });
}

async function messageDeliveries(
  context: Context,
  webhooks: readonly WebhookSubscriber[],
  { event, id, message }: ChangedMessage & { readonly event: WebhookEvent },
): Promise<readonly NewDelivery[]> {
  const now = context.clock.now();
  const data = message === undefined ? deletedDataOf(id) : dataOf(message.detail.message, context.settings.publicUrl());
  const deliveries: NewDelivery[] = [];
  const matches = matcherOf(context, message);
  for (const webhook of webhooks) {
    if (!(await wants(webhook, { event, id, message, matches }))) continue;
    deliveries.push(webhookDelivery(webhook.target, { event, data, id, now }));
  }
  return deliveries;
}

/** Returns the matcher of a message; null when it was deleted. */
function matcherOf(context: Context, message: CallbackMessage | undefined): MessageMatcher | null {
  return message === undefined ? null : createMessageMatcher(context, message);
}

/** Returns whether a webhook selects the event. */
async function wants(
  { settings, expression }: WebhookSubscriber,
  {
    event,
    id,
    message,
    matches,
  }: ChangedMessage & { readonly event: WebhookEvent; readonly matches: MessageMatcher | null },
): Promise<boolean> {
  if (!settings.events.includes(event) || !hasDirection(settings, id)) return false;
  if (message === undefined || matches === null) return settings.type === null && expression === null;
  if (settings.type !== null && settings.type !== message.detail.message.type) return false;
  return expression === null || (await matches(expression));
}

function hasDirection({ direction }: WebhookSettings, id: MessageId): boolean {
  return direction === null || direction === decodeMessageId(id).direction;
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

/**
 * Returns events `message.delivery` with the present state of a sent message. Their ids are derived from target, message
 * and status, so that the same report is stored once although several calls make it.
 */
export async function deliveryReports(
  context: Context,
  webhooks: readonly WebhookSubscriber[],
  { id, message, delivery: known }: ChangedMessage & { readonly delivery?: Delivery },
): Promise<readonly NewDelivery[]> {
  const now = context.clock.now();
  const delivery = known ?? (await getDelivery(context.store, id));
  if (delivery === undefined) return [];
  const facts =
    message === undefined ? deletedDataOf(id) : dataOf(message.detail.message, context.settings.publicUrl());
  const shown = { ...delivery, lastError: delivery.lastError?.slice(0, 500) ?? null };
  const event = "message.delivery";
  const reports: NewDelivery[] = [];
  const matches = matcherOf(context, message);
  for (const webhook of webhooks) {
    if (!(await wants(webhook, { event, id, message, matches }))) continue;
    const report = webhookDelivery(webhook.target, { event, data: { ...facts, delivery: shown }, id, now });
    reports.push({ ...report, id: reportId([webhook.target.id, id, delivery.status]) });
  }
  return reports;
}

function reportId(parts: readonly string[]): string {
  const hash = createHash("sha256").update(parts.join(" ")).digest("hex");
  // A UUID of version 8 (RFC 9562 §5.8).
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

function webhookDelivery(
  target: { readonly id: string; readonly server: ServerId },
  event: {
    readonly event: WebhookEvent;
    readonly data: WebhookData;
    readonly id: MessageId | null;
    readonly now: number;
  },
): NewDelivery {
  const { data, now } = event;
  const content = {
    kind: "webhook",
    timestamp: new Date(now).toISOString(),
    data,
    id: newEventId(),
    defect: null,
  } as const;
  return newDelivery(target, content, { type: event.event, message: event.id, createdAt: now });
}

/** Returns the events that a provider reports about a mail that came through it, for each recipient. */
async function eventDeliveries(
  { clock }: Context,
  subscribers: readonly Subscriber<EventSettings>[],
  message: CallbackMessage,
): Promise<readonly NewDelivery[]> {
  const provider = message.detail.message.provider?.name;
  const subscriber = subscribers.find(({ target }) => target.shape === provider);
  const format = subscriber === undefined ? undefined : await findEventWebhooks(subscriber.target.shape);
  if (subscriber === undefined || format === undefined) return [];
  const { target, settings } = subscriber;
  const known = new Set(
    (format.typesOf?.(settings.options) ?? format.types).filter((one) => settings.events.includes(one)),
  );
  const now = clock.now();
  const mail = eventMailOf(message);
  return recipientsOf(message).flatMap((recipient) =>
    outcomesOf(format, recipient)
      .filter(({ type }) => known.has(type))
      .map(({ type, details }) => {
        const event = mailEvent(mail, { type, recipient, at: now, details });
        return newDelivery(
          target,
          { kind: "event", event, defect: null },
          { type, message: message.id, createdAt: now },
        );
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
