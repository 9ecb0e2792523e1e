/** Subscriptions to mailboxes: which of them are in effect, and what changes of their server they are notified of. */
import type { Change } from "../../core/events.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { foldText } from "../../core/fold.ts";
import { type Marks, noMarks } from "../../core/marks.ts";
import { withHops } from "../../core/request-hops.ts";
import { evaluate, type SearchTerm } from "../../core/search/search-expression.ts";
import { encodeSearchFields } from "../../core/search/search-fields.ts";
import { isReceivedWithin, meetsTerm, type SearchFacts } from "../../core/search/term-match.ts";
import { fieldsNamed } from "../../core/tagging.ts";
import { type CallbackReceiver, decodeDeliveryContent } from "../../egress/callbacks/delivery-content.ts";
import type { MailboxChange, MailboxMessage } from "../../providers/mailbox.ts";
import type {
  ListOwnObjects,
  MailboxNotification,
  MailboxSubscription,
  SubscriptionFact,
} from "../../providers/mailbox-subscriptions.ts";
import type { SigningIdentity } from "../../providers/formats/signing-identity.ts";
import type { CallbackTarget, NewDelivery, StoredDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { isOfProvider, mailboxChangesOf } from "../services/reading/mailbox-changes.ts";
import { getMessages } from "../services/reading/get-message.ts";
import { labelKeys, searchFieldsOf } from "../services/reading/search-fields.ts";
import { openSigningIdentity } from "../services/security/stored-secrets.ts";
import { findNotifications } from "./callback-formats.ts";
import { readCallbackMessage } from "./event-mail.ts";
import { storedKeysOf } from "../services/reading/email-record.ts";
import { newDelivery } from "./open-target.ts";
import { openDelivery, refuse, rendered, secretsOf } from "./rendered-callback.ts";
import { type MailboxSettings, settingsOf } from "./target-settings.ts";

/** Returns whether a subscription is in effect: until its end, and as long as the key of its owner is valid. */
export type IsInEffect = (settings: MailboxSettings) => boolean;

/** Reads the keys, by which subscriptions are in effect now. */
export async function readEffect({ store, clock, settings }: Context): Promise<IsInEffect> {
  const now = clock.now();
  const valid = (await store.listKeys()).filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const keys = new Set(valid.map(({ id }) => id));
  return ({ expiresAt, key, isKnown }) => expiresAt > now && (isKnown ? keys.has(key) : settings.acceptsAnyProviderKey);
}

/** Returns those of the targets of a server that are subscriptions in effect. */
export async function subscriptionsInEffect(
  context: Context,
  targets: readonly CallbackTarget[],
): Promise<readonly CallbackTarget[]> {
  const all = targets.filter(({ kind, state }) => kind === "mailbox" && state !== "disabled");
  if (all.length === 0) return all;
  const isInEffect = await readEffect(context);
  return all.filter((target) => isInEffect(settingsOf("mailbox", target)));
}

/** Time for which a subscription that has ended remains, so that its last notifications are delivered. */
const remainsMs = 24 * 3_600_000;

/** Removes subscriptions that ended a day ago, and those whose key is no longer valid; returns their number. */
export async function removeEndedSubscriptions(context: Context): Promise<number> {
  const { callbacks } = context.store;
  const isInEffect = await readEffect(context);
  const since = context.clock.now() - remainsMs;
  let count = 0;
  for (const server of await callbacks.listTargetServers()) {
    for (const target of await callbacks.listTargets(server, "mailbox")) {
      const settings = settingsOf("mailbox", target);
      const isEnded = settings.expiresAt <= since || !isInEffect({ ...settings, expiresAt: Infinity });
      if (isEnded && (await callbacks.removeTarget(target.id))) count += 1;
    }
  }
  return count;
}

/** Returns a subscription as its provider sees it. */
export function subscriptionOf(context: Context, target: CallbackTarget): MailboxSubscription {
  const { id, server } = target;
  const { key: _key, isKnown: _isKnown, ...values } = settingsOf("mailbox", target);
  return { id, server, ...values, secrets: secretsOf(context, target).current };
}

/** Objects of a kind that are read for one notification. */
const objectCountMax = 1000;

/** Returns the function that lists objects for a subscription: those of its server, then those of the account. */
function objectsOf({ store, clock }: Context, { shape: provider, server }: CallbackTarget): ListOwnObjects {
  const page = { offset: 0, limit: objectCountMax, now: clock.now() };
  return async (kind) => {
    const own = await store.providerObjects.listObjects({ provider, server, kind }, page);
    const ofAccount = await store.providerObjects.listObjects({ provider, server: null, kind }, page);
    return [...own, ...ofAccount].map(({ json, ...one }) => ({ ...one, value: JSON.parse(json) as unknown }));
  };
}

/** Returns the delivery of a notification; null when the provider sends none. Members of `planned` replace its own. */
export async function notificationDelivery(
  context: Context,
  target: CallbackTarget,
  {
    planned = {},
    ...notification
  }: MailboxNotification & { readonly planned?: Partial<Pick<NewDelivery, "id" | "dueAt">> },
): Promise<NewDelivery | null> {
  const { kind, message } = notification;
  const format = await findNotifications(target.shape);
  const receiver = await format?.receiverOf(kind, subscriptionOf(context, target), objectsOf(context, target));
  if (receiver === undefined || receiver === null) return null;
  const shown = { type: `mailbox.${kind}`, message, createdAt: context.clock.now(), ...planned };
  return newDelivery(target, { kind: "mailbox", notification }, shown);
}

/** Returns the notifications of a fact for subscriptions. */
export async function factDeliveries(
  context: Context,
  targets: readonly CallbackTarget[],
  { fact, sequence }: { readonly fact: SubscriptionFact; readonly sequence: number },
): Promise<readonly NewDelivery[]> {
  const notification = { kind: fact, message: null, sequence, at: context.clock.now() } as const;
  const made = targets.map(async (target) => notificationDelivery(context, target, notification));
  return (await Promise.all(made)).filter((one) => one !== null);
}

/** Returns the notifications of a change of a server for its subscriptions in effect. Rejects as the store does. */
export async function mailboxDeliveries(
  context: Context,
  all: readonly CallbackTarget[],
  change: Change,
): Promise<readonly NewDelivery[]> {
  const { sequence, kind } = change;
  const targets = all.filter(({ sinceSequence }) => sinceSequence < sequence);
  const [first] = targets;
  if (first === undefined) return [];
  if (kind === "emptied") return factDeliveries(context, targets, { fact: "missed", sequence });
  const deliveries: NewDelivery[] = [];
  for (const one of await mailboxChangesOf(context, first.server, change)) {
    deliveries.push(...(await deliveriesOfMail(context, targets, one)));
  }
  return deliveries;
}

async function deliveriesOfMail(
  context: Context,
  targets: readonly CallbackTarget[],
  change: MailboxChange,
): Promise<readonly NewDelivery[]> {
  const { id, kind, sequence } = change;
  const mail = kind === "deleted" ? deletedMail(id) : await readMail(context, id);
  if (mail === undefined) return [];
  const { direction } = decodeMessageId(id);
  const notification = { kind, message: id, sequence, at: context.clock.now() };
  return withHops(mail.hops, async () => {
    const deliveries: NewDelivery[] = [];
    for (const target of targets) {
      const { kinds, where, isKnown } = settingsOf("mailbox", target);
      if (!kinds.includes(kind) || evaluate(where[direction], mail.meets) === false) continue;
      if (!isKnown && !(await isOfProvider(context, change, target.shape))) continue;
      const made = await notificationDelivery(context, target, notification);
      if (made !== null) deliveries.push(made);
    }
    return deliveries;
  });
}

/** Mail as conditions compare it. */
interface ComparedMail {
  /** Returns whether the mail meets a term; null when that is not known. */
  readonly meets: (term: SearchTerm) => boolean | null;
  readonly hops: number;
}

/** Returns a mail; undefined for an SMS, and when it was deleted since. */
async function readMail(context: Context, id: MessageId): Promise<ComparedMail | undefined> {
  const found = await readCallbackMessage(context, id);
  if (found?.detail.message.type !== "Email") return undefined;
  const { message, submittedAs, hops = 0, parts } = found.detail;
  const { from, to, subject } = storedKeysOf(found.detail);
  const { headers } = message.metadata;
  const attachments = message.attachments.map(({ fileName }, at) => ({
    fileName,
    isInline: parts[at]?.isInline === true,
  }));
  const facts: SearchFacts = {
    addresses: { from: from ?? [], to: to ?? [] },
    labels: labelKeys(message.provider, submittedAs),
    texts: { subject, body: "" },
    fields: encodeSearchFields(searchFieldsOf({ ...message, headers, attachments, codes: [] })),
    marks: await readMarks(context, id),
    sizeBytes: found.sizeBytes,
    receivedAt: decodeMessageId(id).receivedAt,
    sequence: null,
  };
  const meets: ComparedMail["meets"] = (term) =>
    term.kind === "header"
      ? fieldsNamed(headers, term.name).some(({ value }) => foldText(value).includes(term.term))
      : meetsTerm(term, facts);
  return { meets, hops };
}

async function readMarks({ store }: Context, id: MessageId): Promise<Marks> {
  const [marked] = await store.marks.readMarks(decodeMessageId(id).server, [id]);
  return marked?.marks ?? noMarks;
}

function deletedMail(id: MessageId): ComparedMail {
  const { receivedAt } = decodeMessageId(id);
  return {
    hops: 0,
    meets: (term) => {
      if (term.kind === "always") return true;
      return term.kind === "received" ? isReceivedWithin(term, receivedAt) : null;
    },
  };
}

/** Returns the receiver of a subscription, which need not be in effect for the notification that it was removed. */
export async function mailboxReceiver(context: Context, target: CallbackTarget): Promise<CallbackReceiver> {
  const format = (await findNotifications(target.shape)) ?? refuse(`${target.shape} has no notifications`);
  const isInEffect = (await readEffect(context))(settingsOf("mailbox", target));
  const subscription = subscriptionOf(context, target);
  const showsMail = format.showsMail?.(subscription) === true;
  return {
    batchCountMax: showsMail ? 1 : format.batchCountMax,
    render: async (deliveries, now) => {
      const { content } = openDelivery(deliveries[0]);
      if (content.kind !== "mailbox") return refuse("The content does not fit its target");
      const { kind } = content.notification;
      if (!isInEffect && kind !== "removed") return refuse("The subscription has ended");
      const receiver = await format.receiverOf(kind, subscription, objectsOf(context, target));
      if (receiver === null) return refuse("Nothing receives the notification any more");
      const notifications = [content.notification, ...changesIn(deliveries.slice(1), content.notification)];
      const mail = showsMail ? await readWhole(context, target, content.notification) : null;
      const signingIdentity = async (): Promise<SigningIdentity> => openSigningIdentity(context, target.shape);
      const request = await format.render(notifications, subscription, {
        receiver,
        mail,
        signingIdentity,
        now: () => now,
      });
      return rendered(receiver.url, request, { defect: null, deliveryCount: notifications.length });
    },
  };
}

/** Returns the mail of a notification; null without one, and when it was deleted since. */
async function readWhole(
  context: Context,
  target: CallbackTarget,
  { message: id }: MailboxNotification,
): Promise<MailboxMessage | null> {
  const { server } = target;
  const owner = { keyId: settingsOf("mailbox", target).key, server, scope: "full" } as const;
  for await (const message of getMessages(context, owner, id === null ? [] : [id])) {
    const { direction } = decodeMessageId(message.id);
    const [sizeBytes = 0] = await context.store.measureRaw(server, [message.id]);
    return { id: message.id, direction, message, marks: await readMarks(context, message.id), sizeBytes };
  }
  return null;
}

/** Returns the notifications of the first deliveries that may share the request of a change. */
function changesIn(deliveries: readonly StoredDelivery[], first: MailboxNotification): readonly MailboxNotification[] {
  const found: MailboxNotification[] = [];
  if (first.message === null) return found;
  for (const { content } of deliveries) {
    const decoded = content === null ? null : decodeDeliveryContent(content);
    if (decoded?.kind !== "mailbox" || decoded.notification.message === null) break;
    found.push(decoded.notification);
  }
  return found;
}
